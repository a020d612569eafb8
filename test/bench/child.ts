/** Other processes of the bench. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The next message of a process; an error if it ends instead. */
export async function heard(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  try {
    const message = once(child, 'message', { signal: ended.signal }).then(([said]) => said);
    const exit = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
      throw new Error(`A process of the bench ended with code ${code}.`);
    });
    const first = Promise.race([message, exit]);
    // Whichever does not come is called off below.
    message.catch(() => {});
    exit.catch(() => {});
    return await first;
  } finally {
    ended.abort();
  }
}

/** What a process answers. */
export function asked(child: ChildProcess, what: object | string): Promise<unknown> {
  const answer = heard(child);
  child.send(what);
  return answer;
}
