/** Runs a world in a process and serves it. */
export { SaveError, WorldError } from '../core/errors.ts';
export type { ReplicationRates, ReplicationStats, ServerStats } from '../protocol/admin.ts';
export type { Authorize } from '../replication/client-commands.ts';
export type { User } from '../replication/connection.ts';
export type { CommandingSession } from '../replication/session.ts';
export type { Authenticate, Credentials } from './access.ts';
export type { Health } from './health.ts';
export { type ServeOptions, type Server, serve } from './serve.ts';
