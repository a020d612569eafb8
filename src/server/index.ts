/** Runs a world in a process and serves it. */
export { SaveError, WorldError } from '../core/errors.ts';
export type { Health } from './health.ts';
export { type ServeOptions, type Server, serve } from './serve.ts';
