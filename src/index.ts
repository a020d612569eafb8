/** Offstage's core, and what machines and kinds are made with. */
export type { Address, AllOf, ById, Selection } from './core/address.ts';
export type { LinkedRecord, NewRecord, Offered } from './core/ambient.ts';
export type { Clock } from './core/clock.ts';
export type {
  Command,
  CommandReport,
  CommandSource,
  QueuedCommand,
  SendResult,
  StateChange,
} from './core/commands.ts';
export type { Change, Commit, Notice } from './core/commit.ts';
export {
  CommandError,
  KindError,
  OutsideEventError,
  ProtocolError,
  SaveError,
  WorldError,
} from './core/errors.ts';
export type {
  AdvanceArgs,
  ContextOf,
  EventOf,
  Kind,
  NoticeOf,
  PredictArgs,
  Relevancy,
  SavedState,
  StepRule,
} from './core/kind.ts';
export type {
  CustomAction,
  Effects,
  HistoryValue,
  MachineEvent,
  MachineLogic,
  MachineState,
  SendTarget,
  StateValue,
} from './core/logic.ts';
export { math } from './core/maths.ts';
export type { Fault, RecordValue } from './core/record.ts';
export type { EventReport, ReadReport, ReadSet } from './core/reports.ts';
export {
  beginScenario,
  defineScenario,
  type Figures,
  runScenario,
  type Scenario,
} from './core/scenario.ts';
export type { Settings } from './core/settings.ts';
export type { RecordSnapshot, TimerSnapshot, WorldSnapshot } from './core/snapshot.ts';
export type { KindStats, WorldStats } from './core/stats.ts';
export { type TraceOptions, trace, traceLine } from './core/trace.ts';
export type { Observer, RecordRef, Subscription } from './core/views.ts';
export {
  createWorld,
  type FrameReport,
  type World,
  type WorldOptions,
} from './core/world.ts';
export * from './machine/index.ts';
