/** The scenarios that `offstage trace` and `offstage replicate` find by name. */
import { bank } from './bank.scenario.ts';
import { mm1 } from './mm1.scenario.ts';
import { trafficLight } from './traffic-light.scenario.ts';

export { bank, mm1, trafficLight };

export const scenarios = [bank, mm1, trafficLight] as const;
