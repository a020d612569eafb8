/** The files of a kind that is begun from nothing: small, complete, and with an example of each thing. */
import type { KindNames } from './names.ts';
import { inWords, type MachineSource, NOTHING_TO_WRITE } from './source.ts';

/** A machine that works in rounds unless it is stopped. */
export function freshMachine({ name, machine, words }: KindNames): MachineSource {
  const text = `/** A ${words}: it works round after round, until STOP and again from START. */
import { assign, emit, setup } from 'xstate';

export const ${machine} = setup({
  types: {
    context: {} as { readonly interval: number; readonly rounds: number },
    events: {} as { readonly type: 'START' | 'STOP' },
    emitted: {} as { readonly type: 'ROUND_DONE'; readonly rounds: number },
    /** \`interval\`: game milliseconds of a round. */
    input: {} as { readonly interval: number },
  },
  actions: {
    countRound: assign({ rounds: ({ context }) => context.rounds + 1 }),
    announceRound: emit(({ context }) => ({ type: 'ROUND_DONE', rounds: context.rounds })),
  },
  delays: {
    round: ({ context }) => context.interval,
  },
}).createMachine({
  id: '${name}',
  context: ({ input }) => ({ interval: input.interval, rounds: 0 }),
  initial: 'working',
  states: {
    working: {
      after: {
        round: { target: 'working', reenter: true, actions: ['countRound', 'announceRound'] },
      },
      on: { STOP: 'idle' },
    },
    idle: {
      on: { START: 'working' },
    },
  },
});
`;
  return { text, toWrite: NOTHING_TO_WRITE, events: ['START', 'STOP'] };
}

export function freshKind(names: KindNames): string {
  return `${kindImports(names)}
/** Works round after round, unless it is stopped; see the machine. */
export const ${names.kind} = defineKind({
  name: '${names.name}',
  version: 1,
  machine: ${names.machine},
  commands: { START: Type.Object({}), STOP: Type.Object({}) },
  describe: ({ value, context }) => \`\${String(value)}, \${context.rounds} rounds\`,
});
`.replace("from 'offstage';\n", "from 'offstage';\nimport { Type } from 'typebox';\n");
}

export function freshTest({ name, kind, words }: KindNames): string {
  return `import { checkKind, fc, testKind } from 'offstage/testing';
import { expect, test } from 'vitest';
import { ${kind} } from '../../kinds/${name}.kind.ts';

test('a ${words} works round after round, until it is stopped', () => {
  const t = testKind(${kind}, { input: { interval: 60_000 } });
  t.advance('10m');
  expect(t.context.rounds).toBe(10);
  expect(t.notices.at(-1)?.event).toEqual({ type: 'ROUND_DONE', rounds: 10 });

  t.send({ type: 'STOP' });
  expect(t.nextEventIn).toBeUndefined();
  t.send({ type: 'START' });
  expect(t.nextEventIn).toBe(60_000);
});

test('a ${words} keeps the laws of a kind', () => {
  checkKind(${kind}, {
    input: fc.record({ interval: fc.integer({ min: 1000, max: 600_000 }) }),
    events: fc.record({ type: fc.constantFrom('START' as const, 'STOP' as const) }),
  });
}, 60_000);
`;
}

function kindImports({ name, machine }: KindNames): string {
  return `import { defineKind } from 'offstage';
import { ${machine} } from '../machines/${name}.machine.ts';
`;
}

/** The kind of a machine that was drawn elsewhere: nothing is known but the machine. */
export function drawnKind(names: KindNames): string {
  return `${kindImports(names)}
/** See the machine. Clients may send nothing until \`commands\` says what. */
export const ${names.kind} = defineKind({
  name: '${names.name}',
  version: 1,
  machine: ${names.machine},
});
`;
}

/** Its test: the laws, or a reminder of each thing that has still to be written. */
export function drawnTest({ name, kind, words }: KindNames, source: MachineSource): string {
  const { events } = source;
  const missing = inWords(source.toWrite);
  const importsKind = `import { ${kind} } from '../../kinds/${name}.kind.ts';\n`;
  if (missing.length > 0) {
    const reminders = missing.map(
      (what) => `test.todo(${quoted(`${what} is still to be written`)});`,
    );
    return `import { expect, test } from 'vitest';
${importsKind}
${reminders.join('\n')}

test('a ${words} is a kind', () => {
  expect(${kind}.name).toBe('${name}');
});
`;
  }
  const types = events.map((type) => `${quoted(type)} as const`).join(', ');
  const options =
    events.length === 0
      ? ''
      : `, {\n    events: fc.record({ type: fc.constantFrom(${types}) }),\n  }`;
  const imported = events.length === 0 ? 'checkKind, testKind' : 'checkKind, fc, testKind';
  return `import { ${imported} } from 'offstage/testing';
import { expect, test } from 'vitest';
${importsKind}
test('a ${words} begins without a fault', () => {
  expect(testKind(${kind}).fault).toBeNull();
});

test('a ${words} keeps the laws of a kind', () => {
  checkKind(${kind}${options});
}, 60_000);
`;
}

/** A text as a literal in single quotes, or in double ones where it has single ones in it. */
function quoted(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text.replaceAll('\\', '\\\\')}'`;
}
