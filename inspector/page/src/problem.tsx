/** What became of the last command: why it was refused, or that it was done. */

import type { Doing } from './doing.ts';
import { Icon } from './icons.tsx';

export function Problem({ of: { problem, done, forget } }: { readonly of: Doing }) {
  if (problem !== undefined) {
    return (
      <span className="problem" role="alert">
        {problem}{' '}
        <button type="button" className="quiet" aria-label="Dismiss" onClick={forget}>
          <Icon name="close" />
        </button>
      </span>
    );
  }
  return done === undefined ? null : (
    <span className="said" role="status">
      {done}
    </span>
  );
}
