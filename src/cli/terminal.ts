/** A whole terminal to draw on, given back as it was. Only lines that differ are written. */
import type { ReadStream, WriteStream } from 'node:tty';

const ESC = '\u001b[';
/** The other screen, and no cursor on it. */
const ENTER = `${ESC}?1049h${ESC}?25l`;
const LEAVE = `${ESC}?25h${ESC}?1049l`;
/** Terminals that know this show what is between the two at once; the others pass over it. */
const [TOGETHER, SHOW] = [`${ESC}?2026h`, `${ESC}?2026l`];

export type Key = 'up' | 'down' | 'left' | 'right' | 'quit';

const KEYS: Readonly<Record<string, Key>> = {
  [`${ESC}A`]: 'up',
  [`${ESC}B`]: 'down',
  [`${ESC}C`]: 'right',
  [`${ESC}D`]: 'left',
  q: 'quit',
  // Ctrl-C, which in raw mode is a key like another.
  '\u0003': 'quit',
};

export class Terminal {
  private readonly output: WriteStream;
  private readonly input: ReadStream;
  private shown: readonly string[] = [];
  private readonly onData: (data: Buffer) => void;
  private readonly onResize: () => void;

  constructor(
    output: WriteStream,
    input: ReadStream,
    { pressed, resized }: { pressed(key: Key): void; resized(): void },
  ) {
    this.output = output;
    this.input = input;
    this.onData = (data) => {
      const key = KEYS[String(data)];
      if (key !== undefined) pressed(key);
    };
    this.onResize = () => {
      this.shown = [];
      this.output.write(`${ESC}2J`);
      resized();
    };
  }

  get size(): { readonly columns: number; readonly rows: number } {
    // A terminal that does not say how large it is gives 0.
    return { columns: this.output.columns || 80, rows: this.output.rows || 24 };
  }

  open(): void {
    this.output.write(ENTER);
    this.output.on('resize', this.onResize);
    if (this.input.isTTY) {
      this.input.setRawMode(true);
      this.input.on('data', this.onData);
    }
  }

  draw(lines: readonly string[]): void {
    let text = '';
    for (let i = 0; i < Math.max(lines.length, this.shown.length); i += 1) {
      const line = lines[i] ?? '';
      if (line !== this.shown[i]) text += `${ESC}${i + 1};1H${line}${ESC}K`;
    }
    this.shown = lines;
    if (text !== '') this.output.write(TOGETHER + text + SHOW);
  }

  close(): void {
    this.output.off('resize', this.onResize);
    if (this.input.isTTY) {
      this.input.off('data', this.onData);
      this.input.setRawMode(false);
      this.input.pause();
    }
    this.output.write(LEAVE);
  }
}
