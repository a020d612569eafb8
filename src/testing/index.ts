/** The test kit for kinds: a record runs alone, on game time. For Vitest, but not bound to it. */
export type { Duration } from './duration.ts';
export { Stub, type StubOptions, stub } from './stub.ts';
export { type TestOptions, testKind } from './test-kind.ts';
export { TestRecord } from './test-record.ts';
export type { Edit, Message } from './traffic.ts';
