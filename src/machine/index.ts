/** What `src/machine` gives to the rest of the package and to authors of kinds. */
export { addRecord, edit, link, moveTo, removeRecord, tryEdit, unlink } from './actions.ts';
export { all, byId } from './addresses.ts';
export { compileMachine } from './compile.ts';
export { defineKind } from './define-kind.ts';
export { interpretMachine } from './interpret.ts';
export type { DefinedKind, KindDefinition } from './kind-definition.ts';
export { type LinkedTo, type LinkTarget, linksOf } from './links-of.ts';
export { offer } from './offer.ts';
export { at, linked, now, random, selfId, sender } from './reads.ts';
export {
  cancelRequest,
  type Denied,
  type Granted,
  queueFor,
  type Request,
  type RequestOptions,
  release,
  request,
  waitFor,
} from './requests.ts';
export { type NoticeFrom, type TypedWorld, typedWorld } from './typed-world.ts';
