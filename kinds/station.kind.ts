import { defineKind } from 'offstage';
import { Type } from 'typebox';
import { stationMachine } from '../machines/station.machine.ts';

/** Works ingredients from one stash into what it puts into another; see the machine. */
export const station = defineKind({
  name: 'station',
  version: 1,
  machine: stationMachine,
  links: { from: 'stash', to: 'stash' },
  commands: { RUSH: Type.Object({}) },
  shiftTimes: (context, delta) =>
    context.doneAt === null ? context : { ...context, doneAt: context.doneAt + delta },
  describe: ({ value, context: { recipe, rounds } }) => {
    const { item } = recipe.gives;
    switch (value) {
      case 'working':
        return `makes ${item}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'} done`;
      case 'storing':
        return `has no room for its ${item}`;
      default:
        return `lacks what it needs for ${item}`;
    }
  },
});
