/**
 * The kinds that come with Offstage. The registry may hold more: a checkout is also where people
 * write kinds of their own, and what is tested of these must not depend on those.
 */
import {
  camp,
  caravan,
  container,
  facility,
  field,
  monitor,
  signal,
  stash,
  station,
  store,
  timer,
} from '../../kinds/index.ts';

export const starters = [
  camp,
  caravan,
  container,
  facility,
  field,
  monitor,
  signal,
  stash,
  station,
  store,
  timer,
] as const;
