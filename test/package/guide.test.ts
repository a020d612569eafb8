/**
 * Somebody follows the guide word for word, in an empty folder, with the packed package: each command
 * is run as it stands there, each file written as it stands there. How long each step took is printed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packOffstage } from '../support/pack.ts';
import { repository, run } from '../support/run.ts';
import { type Scratch, scratch } from '../support/scratch.ts';

const guide = readFileSync(join(repository, 'GUIDE.md'), 'utf8').split('\n# ')[0] as string;

/** What the guide has its reader do, in order. */
type Step =
  | { readonly type: 'section'; readonly title: string }
  | { readonly type: 'command'; readonly line: string }
  | { readonly type: 'file'; readonly path: string; readonly text: string };

function stepsOf(text: string): readonly Step[] {
  const steps: Step[] = [];
  for (const [, title, language, code = ''] of text.matchAll(
    /^## (.+)$|^```(\w+)\n([\s\S]*?)^```$/gm,
  )) {
    if (title !== undefined) steps.push({ type: 'section', title });
    else if (language === 'sh') {
      for (const line of code.trim().split('\n')) steps.push({ type: 'command', line });
    } else if (language === 'json') {
      steps.push({ type: 'file', path: `saves/${JSON.parse(code).world}.seed.json`, text: code });
    } else {
      const path = /^\/\/ (\S+)\n/.exec(code)?.[1];
      if (path === undefined)
        throw new Error(`The guide does not say which file this is:\n${code}`);
      steps.push({ type: 'file', path, text: code });
    }
  }
  return steps;
}

/** A program that runs until it is ended, and what it has said. */
class Running {
  output = '';
  readonly program: ChildProcess;
  private readonly looks = new Set<() => void>();

  constructor(line: string, cwd: string) {
    const [command = '', ...args] = line.split(' ');
    // In a group of its own, since npx starts what runs.
    this.program = spawn(command, args, { cwd, env, detached: true });
    for (const stream of [this.program.stdout, this.program.stderr]) {
      stream?.on('data', (text) => {
        this.output += String(text);
        for (const look of this.looks) look();
      });
    }
    this.program.on('exit', () => {
      for (const look of this.looks) look();
    });
    running.push(this);
  }

  /** Resolves once it has said that; rejects if it ends before. */
  says(pattern: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const { exitCode, signalCode } = this.program;
        const isOver = exitCode !== null || signalCode !== null;
        if (!pattern.test(this.output) && !isOver) return;
        this.looks.delete(look);
        if (pattern.test(this.output)) resolve();
        else reject(new Error(`It ended without saying ${pattern}:\n${this.output}`));
      };
      this.looks.add(look);
      look();
    });
  }

  /** Ends it, and all that it started. */
  async end(): Promise<void> {
    const { pid, exitCode, signalCode } = this.program;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const ended = new Promise((resolve) => this.program.once('exit', resolve));
    process.kill(-pid, 'SIGTERM');
    await ended;
  }
}

const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' };
const running: Running[] = [];
let project: Scratch;
let packages: Scratch;
let tarball = '';

beforeAll(async () => {
  project = await scratch('offstage-guide', { outside: true });
  packages = await scratch('offstage-packed', { outside: true });
  tarball = await packOffstage(packages.path);
}, 300_000);
afterAll(async () => {
  await Promise.all(running.map((program) => program.end()));
  await project.remove();
  await packages.remove();
});

/** Commands that go on until they are ended, and what they say when they have done what they are for. */
const LASTING: readonly (readonly [command: RegExp, said: RegExp])[] = [
  [/^npx offstage serve /, /listening on/],
  [/^npx offstage watch/, /mill {2}water-mill/],
  [/^npx offstage inspect /, /inspector on/],
];

/** What a command has to have said besides ending well. */
const SAID: readonly (readonly [command: RegExp, said: RegExp])[] = [
  [/new-kind/, /wrote {2}kinds\/water-mill\.kind\.ts/],
  [/vitest run/, /Tests +2 passed/],
  [/dump mill/, /mill {2}water-mill/],
  [/info/, /records +1:/],
];

test('the guide works, word for word, with the packed package', async () => {
  const steps = stepsOf(guide);
  const took: string[] = [];
  let server: Running | undefined;
  const follow = async (step: Step): Promise<void> => {
    if (step.type === 'section') return;
    if (step.type === 'file') {
      const reloaded = server?.output.split('Reloaded the kinds').length;
      await project.write({ [step.path]: step.text });
      if (server === undefined || !step.path.startsWith('machines/')) return;
      const times = reloaded ?? 0;
      await server.says(new RegExp(`(Reloaded the kinds[\\s\\S]*?){${times}}`));
      return;
    }
    const lasting = LASTING.find(([command]) => command.test(step.line));
    if (lasting !== undefined) {
      const program = new Running(step.line, project.path);
      await program.says(lasting[1]);
      if (/serve/.test(step.line)) server = program;
      else await program.end();
      return;
    }
    const line = step.line.replace(/^(npm install) offstage$/, `$1 ${tarball}`);
    const [program = '', ...args] = line.split(' ');
    const { code, output } = await run(program, args, {
      cwd: project.path,
      env: { npm_config_prefer_offline: 'true', npm_config_audit: 'false' },
    });
    expect(code, `${step.line}\n${output}`).toBe(0);
    for (const [command, said] of SAID) if (command.test(line)) expect(output).toMatch(said);
  };
  for (const step of steps) {
    const began = performance.now();
    await follow(step);
    const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(6);
    if (step.type === 'section') took.push(`${step.title}`);
    else took.push(`${seconds} s  ${step.type === 'file' ? `save ${step.path}` : step.line}`);
  }
  process.stdout.write(`${took.join('\n')}\n`);
  expect(steps.filter(({ type }) => type === 'section')).toHaveLength(6);

  // The mill has gone on: it rests now and then, and never lost its place.
  const { stdout } = await run('npx', ['offstage', 'dump', 'mill', '--json'], {
    cwd: project.path,
  });
  const mill = JSON.parse(stdout);
  expect(mill).toMatchObject({ kind: 'water-mill', fault: null, status: 'active' });
  expect(mill.context.rounds).toBeGreaterThan(3);
  expect(['working', 'resting']).toContain(mill.value);
}, 400_000);
