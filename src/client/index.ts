/** What shows a world: a mirror of the records near a point, in a browser or in Node. */
export { CommandError, ProtocolError } from '../core/errors.ts';
export type { Place } from '../protocol/messages.ts';
export {
  type Client,
  type ClientEvents,
  type ClientOptions,
  type ClientRef,
  connect,
} from './client.ts';
export type { Status } from './connection.ts';
export type { ClientNotice, ClientRecord } from './record.ts';
