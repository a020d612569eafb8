/** The test kit for kinds: a record runs alone, on game time. For Vitest, but not bound to it. */
export { default as fc } from 'fast-check';
export { type CheckOptions, checkKind } from './check-kind.ts';
export type { Duration } from './duration.ts';
export type { LawName } from './laws/index.ts';
export type { TestLinks } from './scenario.ts';
export { BrokenLaw } from './story.ts';
export { Stub, type StubOptions, stub } from './stub.ts';
export { type TestOptions, testKind } from './test-kind.ts';
export { TestRecord } from './test-record.ts';
export type { Edit, Message } from './traffic.ts';
