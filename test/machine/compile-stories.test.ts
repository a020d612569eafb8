/** Every story told of machines run through XState, told again of the same machines run from tables. */
import { compileMachine } from '../../src/machine/compile.ts';
import { runWith } from './run.ts';

runWith(compileMachine);
await import('./interpret.test.ts');
await import('./interpret-actions.test.ts');
await import('./interpret-timers.test.ts');
await import('./set.test.ts');
