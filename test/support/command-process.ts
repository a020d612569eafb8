/** The command of the checkout in a process of its own, serving a world: for what kills it, or leaves it be. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { repository } from './run.ts';

export class CommandProcess {
  readonly url: string;
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  private constructor(child: ChildProcess, ended: Promise<unknown>, url: string) {
    this.child = child;
    this.ended = ended;
    this.url = url;
  }

  /** Starts `offstage` with such arguments; resolves once it listens. */
  static listening(
    args: readonly string[],
    { cwd = repository, env = {} }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
  ): Promise<CommandProcess> {
    const child = spawn(process.execPath, [join(repository, 'src/cli/bin.js'), ...args], {
      cwd,
      env: { ...process.env, NODE_OPTIONS: '', ...env },
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    let output = '';
    return new Promise((resolve, reject) => {
      const hear = (text: unknown): void => {
        output += String(text);
        const [, url] = /listening on (\S+)\n/.exec(output) ?? [];
        if (url !== undefined) resolve(new CommandProcess(child, ended, url));
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      child.once('exit', () => reject(new Error(`The server ended:\n${output}`)));
    });
  }

  /** Ends it so that it notices nothing. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** Asks it to end, and waits until it has. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
  }

  close(): Promise<void> {
    return this.kill();
  }
}
