/** The registry: the kinds that `offstage serve` loads. */
import { camp } from './camp.kind.ts';
import { caravan } from './caravan.kind.ts';
import { container } from './container.kind.ts';
import { facility } from './facility.kind.ts';
import { field } from './field.kind.ts';
import { monitor } from './monitor.kind.ts';
import { signal } from './signal.kind.ts';
import { stash } from './stash.kind.ts';
import { station } from './station.kind.ts';
import { store } from './store.kind.ts';
import { timer } from './timer.kind.ts';

export { camp, caravan, container, facility, field, monitor, signal, stash, station, store, timer };

export const kinds = [
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
