/** The registry: the kinds that `offstage serve` loads. */
import { camp } from './camp.kind.ts';
import { caravan } from './caravan.kind.ts';
import { field } from './field.kind.ts';
import { stash } from './stash.kind.ts';
import { station } from './station.kind.ts';
import { timer } from './timer.kind.ts';

export { camp, caravan, field, stash, station, timer };

export const kinds = [camp, caravan, field, stash, station, timer] as const;
