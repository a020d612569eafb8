/**
 * The kinds that come with Offstage. The registry may hold more: a checkout is also where people
 * write kinds of their own, and what is tested of these must not depend on those.
 */
import { camp, caravan, field, stash, station, timer } from '../../kinds/index.ts';

export const starters = [camp, caravan, field, stash, station, timer] as const;
