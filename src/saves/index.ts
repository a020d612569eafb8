/** Worlds that are kept on disk. */
export type { Disk, DiskFile } from './disk.ts';
export type {
  Damaged,
  DocumentEvents,
  DocumentHealth,
  OpenOptions,
  SaveReport,
  Trouble,
  WorldDocument,
} from './document.ts';
export {
  type ExamineOptions,
  type ReadWorld,
  type ReplayReport,
  readWorld,
  replayWorld,
  type VerifiedGeneration,
  type VerifyReport,
  verifyWorld,
} from './examine.ts';
export type { ImportEntry, ImportReport } from './import-report.ts';
export { hasWorld, openWorld } from './open-world.ts';
export type { RealTime } from './real-time.ts';
export {
  type RestoreOptions,
  type RestoreReport,
  restoreGeneration,
} from './restore-generation.ts';
