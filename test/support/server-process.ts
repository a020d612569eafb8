/** Servers in processes of their own, for tests that kill them: of compiled code, so that they start fast. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { repository, run } from './run.ts';
import type { Scratch } from './scratch.ts';

/** What such a server says of itself once it listens. */
export interface Listening {
  readonly url: string;
  /** Types of what there was to tell of loading its world. */
  readonly found: readonly string[];
  readonly replayed: number;
}

/** The `n`th command of a world, by the client's session that gave it. */
export interface Numbered {
  readonly n: number;
  readonly id: string;
  readonly seq: number;
}

/** Compiles the program into a folder of the checkout; gives the file to run. */
export async function compiledServer(folder: Scratch): Promise<string> {
  const program = 'test/support/server-program.ts';
  const settings = {
    extends: join(repository, 'tsconfig.build.json'),
    compilerOptions: {
      rootDir: repository,
      outDir: folder.path,
      noCheck: true,
      declaration: false,
      sourceMap: false,
      inlineSources: false,
    },
    include: [join(repository, 'src'), join(repository, program)],
  };
  await folder.write({
    'tsconfig.json': JSON.stringify(settings),
    // What `import 'offstage'` finds from in there.
    'package.json': JSON.stringify({
      name: 'offstage',
      type: 'module',
      exports: { '.': './src/index.js', './package.json': './package.json' },
    }),
  });
  const { code, output } = await run('tsc', ['-p', folder.path]);
  if (code !== 0) throw new Error(`The server could not be compiled:\n${output}`);
  return join(folder.path, program.replace(/ts$/, 'js'));
}

export class ServerProcess {
  /** Everything it printed. */
  output = '';
  /** The commands it carried out, also those that a kill undid since nobody was answered. */
  readonly commands: Numbered[] = [];
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;
  private readonly lines: string[] = [];
  private heard: () => void = () => undefined;

  /** It begins to load at once. */
  constructor(file: string) {
    const env = { ...process.env, NODE_OPTIONS: '' };
    this.child = spawn(process.execPath, [file], { env, stdio: 'pipe' });
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code) => {
        resolve(code);
        this.heard();
      });
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (data) => {
        this.output += String(data);
      });
    }
    // What cannot be written to a process that is dead is lost with it.
    this.child.stdin?.on('error', () => undefined);
    createInterface({ input: this.child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (line.startsWith('{"n"')) this.commands.push(JSON.parse(line));
      else this.lines.push(line);
      this.heard();
    });
  }

  /** Tells it to open its world; resolves when it begins to. */
  async open(options: { readonly savesDir: string; readonly speed: number }): Promise<void> {
    this.child.stdin?.write(`${JSON.stringify(options)}\n`);
    await this.says();
  }

  /** Resolves when it serves. */
  async listening(): Promise<Listening> {
    return JSON.parse(await this.says());
  }

  /** Ends it so that it notices nothing. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** Asks it to end; gives its exit code. */
  stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.ended;
  }

  private async says(): Promise<string> {
    for (;;) {
      const line = this.lines.shift();
      if (line !== undefined) return line;
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`The server ended before it served:\n${this.output}`);
      }
      await new Promise<void>((resolve) => {
        this.heard = resolve;
      });
    }
  }
}
