import { createWorld, typedWorld } from 'offstage';
import { expect, test } from 'vitest';
import { kinds, timer } from '../../kinds/index.ts';

test('a typed world is the world: it sends, shows and tells', () => {
  const world = createWorld({ kinds });
  const typed = typedWorld(world, kinds);
  expect(typed.untyped).toBe(world);
  world.add({ id: 't', kind: 'timer', at: [0, 0], input: { every: 10 } });
  const heard: string[] = [];
  const stop = typed.onNotice(({ event }) => heard.push(event.type));
  world.run(20);
  stop();
  world.run(20);
  expect(heard).toHaveLength(2);
  expect(typed.record('t', timer).id).toBe('t');
  expect(typed.record('t', timer).getSnapshot()?.context.fired).toBe(4);
  expect(typed.send('nobody', { type: 'RUSH' })).toMatchObject({ code: 'UNKNOWN_RECORD' });
});
