import { defineKind } from 'offstage';
import { Type } from 'typebox';
import { fieldMachine } from '../machines/field.machine.ts';
import { dryAt, moistureAt } from '../machines/soil.ts';

/** A crop that grows while the soil is moist and is harvested into a barn; see the machine. */
export const field = defineKind({
  name: 'field',
  version: 1,
  machine: fieldMachine,
  links: { barn: 'stash' },
  serverOnly: ['promised'],
  commands: {
    WATER: Type.Object({ amount: Type.Number({ exclusiveMinimum: 0, maximum: 1 }) }),
    HARVEST: Type.Object({}),
    SOW: Type.Object({}),
  },
  predict: {
    DRY: (context, { value }) =>
      typeof value === 'object' && 'growth' in value ? dryAt(context.soil) : undefined,
  },
  advance: (context, { to }) => ({ ...context, moisture: moistureAt(context.soil, to) }),
  exact: true,
  shiftTimes: (context, delta) => ({
    ...context,
    soil: { ...context.soil, since: context.soil.since + delta },
    growth: {
      ...context.growth,
      since: context.growth.since === null ? null : context.growth.since + delta,
    },
  }),
  describe: ({ value, context: { crop, moisture } }) => {
    const stage = typeof value === 'string' ? value : value.growth;
    return `${crop}, ${String(stage)}, soil ${Math.round(moisture * 100)}% moist`;
  },
});
