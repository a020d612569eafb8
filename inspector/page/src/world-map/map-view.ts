/**
 * The map on its two canvases: one of pixels for the records, set by hand since nothing else draws a
 * hundred thousand of them with every frame, and one above it for what is few: cells, links, pulses,
 * names. It draws only when something changed, and asks for the part of the world that it shows.
 */

import type { MapNotice, MapTold, Place } from '../../../../src/protocol/admin.ts';
import { type ColourBy, lookColour, pixelOf, type Theme } from '../colours.ts';
import {
  type Camera,
  fitting,
  panned,
  rectangle,
  type Size,
  toScreen,
  toWorld,
  zoomed,
} from './camera.ts';
import { Points } from './points.ts';

export interface Look {
  readonly by: ColourBy;
  readonly theme: Theme;
  /** Kinds to show, undefined for all. */
  readonly kind: string | undefined;
}

/** A record whose links are drawn. */
export interface Linked {
  readonly id: string;
  readonly at: readonly number[];
  readonly to: readonly { readonly name: string; readonly id: string }[];
  readonly from: readonly string[];
}

export interface MapParts {
  /** Asks for a part of the world. */
  watch(from: Place, to: Place): void;
  hovered(id: string | undefined): void;
  clicked(id: string | undefined): void;
}

interface Pulse {
  readonly at: Place;
  readonly began: number;
  readonly text: string;
}

const PULSE = 900;
/** Pixels for a world unit from which on single records are looked at. */
const NEAR = 0.02;
/** Fewer records than this are drawn larger from afar. */
const FEW = 3000;
/** Share of the view that is asked for beyond its edges, so that a small move asks for nothing. */
const GROWN = 0.4;
/** Real milliseconds between two asks. */
const ASK_EVERY = 200;
/** Screen pixels around a record that are taken for it. */
const REACH = 10;

const INK = {
  dark: {
    back: '#12161c',
    grid: '#ffffff14',
    text: '#dfe6ee',
    faint: '#93a0ae',
    ring: '#ffffff',
    link: '#ffd166',
    linker: '#8fd3a8',
    pulse: '#ffffff',
    halo: '#12161ccc',
  },
  light: {
    back: '#f7f8fa',
    grid: '#0000001a',
    text: '#1b222b',
    faint: '#5b6672',
    ring: '#111820',
    link: '#b35c00',
    linker: '#0a7a48',
    pulse: '#111820',
    halo: '#f7f8facc',
  },
} as const;

export class MapView {
  readonly points = new Points();
  private readonly parts: MapParts;
  private readonly pixels: HTMLCanvasElement;
  private readonly above: HTMLCanvasElement;
  private size: Size = { width: 1, height: 1 };
  private image: ImageData | undefined;
  private words = new Uint32Array(0);
  private camera: Camera = { x: 0, y: 0, scale: 0.01 };
  private look: Look = { by: 'kind', theme: 'dark', kind: undefined };
  private linked: Linked | undefined;
  private selected: { readonly id: string; readonly at: readonly number[] } | undefined;
  private hoveredId: string | undefined;
  private pulses: Pulse[] = [];
  private cellSize = 0;
  /** Whether it shows the whole world and nobody has moved it since. */
  private isWhole = true;
  private covered = 0;
  private frame = 0;
  private arePixelsOld = true;
  private asked: { readonly from: Place; readonly to: Place } | undefined;
  private askTimer: ReturnType<typeof setTimeout> | undefined;
  private askedAt = 0;
  private pointer: readonly [number, number] | undefined;
  private isPointerNew = false;
  private home: { readonly from: Place; readonly to: Place } | undefined;
  /** Frames drawn, and what they took, for whoever measures. */
  readonly drawn = { frames: 0, milliseconds: 0 };

  constructor(pixels: HTMLCanvasElement, above: HTMLCanvasElement, parts: MapParts) {
    this.pixels = pixels;
    this.above = above;
    this.parts = parts;
  }

  /** Where a record is drawn, in pixels of the map; undefined if it is not told. */
  screenOf(id: string): readonly [number, number] | undefined {
    const at = this.worldOf(id);
    return at === undefined ? undefined : toScreen(this.camera, this.size, at);
  }

  /** Where a record is, in world units. */
  worldOf(id: string): readonly [number, number] | undefined {
    const row = this.points.row(id);
    return row === undefined
      ? undefined
      : [this.points.xs[row] as number, this.points.ys[row] as number];
  }

  /** Draws no more. */
  close(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.askTimer);
  }

  /** `covered`: pixels at its lower edge that something stands on. */
  resize(width: number, height: number, covered: number): void {
    // A map much lower than what covers it has no better place for the world.
    this.covered = covered < height / 2 ? covered : 0;
    const size = { width: Math.max(1, Math.floor(width)), height: Math.max(1, Math.floor(height)) };
    const isNew = size.width !== this.size.width || size.height !== this.size.height;
    this.size = size;
    if (this.isWhole) this.showAll();
    this.moved();
    if (!isNew) return;
    for (const canvas of [this.pixels, this.above]) {
      const ratio = canvas === this.above ? devicePixelRatio : 1;
      canvas.width = size.width * ratio;
      canvas.height = size.height * ratio;
    }
    this.image = undefined;
    // At once: a canvas of another size is empty, and would be seen so until the next frame.
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.draw(performance.now());
  }

  take(told: MapTold): void {
    this.points.apply(told);
    this.cellSize = told.cellSize;
    if (told.anew !== undefined) {
      this.home = told.anew.extent ?? undefined;
      if (this.isWhole) this.showAll();
    }
    const now = performance.now();
    for (const notice of told.notices) this.pulses.push(pulseOf(notice, now));
    this.isPointerNew = true;
    this.redraw();
  }

  /** After a new connection everything is asked for anew. */
  askAgain(): void {
    this.asked = undefined;
    this.ask();
  }

  setLook(look: Look): void {
    this.look = look;
    this.redraw();
  }

  setLinked(linked: Linked | undefined): void {
    this.linked = linked;
    this.redraw(false);
  }

  /** Marks a record, and moves there if it is not on the screen. */
  select(
    selected: { readonly id: string; readonly at: readonly number[] } | undefined,
    isNew: boolean,
  ): void {
    this.selected = selected;
    if (selected !== undefined && isNew) {
      const [x, y] = toScreen(this.camera, this.size, selected.at);
      const { width, height } = this.size;
      if (x < 20 || y < 20 || x > width - 20 || y > height - 20) {
        this.isWhole = false;
        this.camera = { ...this.camera, x: selected.at[0] ?? 0, y: selected.at[1] ?? 0 };
        this.moved();
      }
    }
    this.redraw(false);
  }

  showAll(): void {
    if (this.home === undefined || this.size.width < 2) return;
    this.isWhole = true;
    this.camera = fitting(this.home.from, this.home.to, this.size, this.covered);
    this.moved();
  }

  pan(dx: number, dy: number): void {
    this.isWhole = false;
    this.camera = panned(this.camera, dx, dy);
    this.moved();
  }

  zoom(factor: number, px = this.size.width / 2, py = this.size.height / 2): void {
    this.isWhole = false;
    this.camera = zoomed(this.camera, this.size, factor, px, py);
    this.moved();
  }

  point(px: number | undefined, py = 0): void {
    this.pointer = px === undefined ? undefined : [px, py];
    this.isPointerNew = true;
    this.redraw(false);
  }

  click(px: number, py: number): void {
    this.parts.clicked(this.recordAt(px, py));
  }

  private recordAt(px: number, py: number): string | undefined {
    const [x, y] = toWorld(this.camera, this.size, px, py);
    return this.points.nearest(x, y, REACH / this.camera.scale, (look) => this.isShown(look));
  }

  private isShown(look: number): boolean {
    const { kind } = this.look;
    return kind === undefined || this.points.kinds[Math.floor(look / 4)] === kind;
  }

  private moved(): void {
    this.isPointerNew = true;
    this.redraw();
    this.ask();
  }

  /** Asks for what is shown and some more around it, unless that was asked for already. */
  private ask(): void {
    if (this.askTimer !== undefined) return;
    const wait = Math.max(0, this.askedAt + ASK_EVERY - performance.now());
    this.askTimer = setTimeout(() => {
      this.askTimer = undefined;
      const needed = rectangle(this.camera, this.size, 0);
      const { asked } = this;
      const isCovered =
        asked !== undefined &&
        asked.from[0] <= needed.from[0] &&
        asked.from[1] <= needed.from[1] &&
        asked.to[0] >= needed.to[0] &&
        asked.to[1] >= needed.to[1];
      // Much nearer than what was asked for: the rest need not be told any more.
      const isMuchLess =
        asked !== undefined && asked.to[0] - asked.from[0] > 6 * (needed.to[0] - needed.from[0]);
      if (isCovered && !isMuchLess) return;
      const wanted = rectangle(this.camera, this.size, GROWN);
      const from: Place = [bounded(wanted.from[0]), bounded(wanted.from[1])];
      const to: Place = [bounded(wanted.to[0]), bounded(wanted.to[1])];
      this.asked = { from, to };
      this.askedAt = performance.now();
      this.parts.watch(from, to);
    }, wait);
  }

  private redraw(pixels = true): void {
    if (pixels) this.arePixelsOld = true;
    if (this.frame !== 0) return;
    this.frame = requestAnimationFrame((now) => {
      this.frame = 0;
      this.draw(now);
    });
  }

  private draw(now: number): void {
    const began = performance.now();
    if (this.isPointerNew) {
      this.isPointerNew = false;
      const id = this.pointer === undefined ? undefined : this.recordAt(...this.pointer);
      if (id !== this.hoveredId) {
        this.hoveredId = id;
        this.parts.hovered(id);
      }
    }
    if (this.arePixelsOld) {
      this.arePixelsOld = false;
      this.drawPixels();
    }
    this.pulses = this.pulses.filter((pulse) => now - pulse.began < PULSE).slice(-300);
    this.drawAbove(now);
    this.drawn.frames += 1;
    this.drawn.milliseconds += performance.now() - began;
    if (this.pulses.length > 0) this.redraw(false);
  }

  private drawPixels(): void {
    // Its pixels are set here; a canvas kept by a graphics card would take all of them anew each time.
    const context = this.pixels.getContext('2d', { willReadFrequently: true });
    if (context === null) return;
    const { width, height } = this.size;
    if (this.image === undefined) {
      this.image = context.createImageData(width, height);
      this.words = new Uint32Array(this.image.data.buffer);
    }
    const { words, points, camera, look } = this;
    words.fill(pixelOf(INK[look.theme].back));
    const colours = this.pixelColours();
    const side = this.side;
    const half = side >> 1;
    const { xs, ys, looks, size } = points;
    const { x, y, scale } = camera;
    const [ox, oy] = [width / 2 - half - x * scale, height / 2 - half - y * scale];
    const [right, bottom] = [width - side, height - side];
    for (let i = 0; i < size; i += 1) {
      const px = (xs[i] as number) * scale + ox;
      const py = (ys[i] as number) * scale + oy;
      if (!(px >= 0 && py >= 0 && px <= right && py <= bottom)) continue;
      const colour = colours[looks[i] as number] as number;
      if (colour === 0) continue;
      let at = (py | 0) * width + (px | 0);
      // Most are two or three pixels wide, and a loop for so few takes longer than what is in it.
      for (let row = 0; row < side; row += 1, at += width) {
        words[at] = colour;
        words[at + 1] = colour;
        if (side > 2) words[at + 2] = colour;
        for (let more = 3; more < side; more += 1) words[at + more] = colour;
      }
    }
    context.putImageData(this.image, 0, 0);
  }

  /** Side of a record on the screen; a few are not to be overlooked, and many not to hide each other. */
  private get side(): number {
    const { scale } = this.camera;
    if (scale > 0.2) return 8;
    if (scale > 0.05) return 6;
    if (scale > 0.01 || this.points.size < FEW) return 4;
    return scale > 0.003 ? 3 : 2;
  }

  /** A pixel for each look; 0 for what is not shown. */
  private pixelColours(): Uint32Array {
    const { points, look } = this;
    const colours = new Uint32Array(Math.max(1, points.kinds.length) * 4);
    for (let i = 0; i < colours.length; i += 1) {
      if (this.isShown(i)) colours[i] = pixelOf(lookColour(i, look.by, look.theme));
    }
    return colours;
  }

  private drawAbove(now: number): void {
    const context = this.above.getContext('2d');
    if (context === null) return;
    const ink = INK[this.look.theme];
    const { width, height } = this.size;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, width, height);
    this.drawCells(context, ink.grid);
    for (const pulse of this.pulses) {
      // A frame's time is that of its beginning, and the pulse may have come after that.
      const age = Math.max(0, now - pulse.began) / PULSE;
      this.drawPulse(context, pulse, age, ink.pulse);
    }
    if (this.linked !== undefined) this.drawLinks(context, this.linked);
    if (this.selected !== undefined) {
      const [x, y] = toScreen(
        this.camera,
        this.size,
        this.worldOf(this.selected.id) ?? this.selected.at,
      );
      ring(context, x, y, this.side / 2 + 5, ink.ring, 2);
    }
    if (this.hoveredId !== undefined) {
      const at = this.worldOf(this.hoveredId);
      if (at !== undefined) {
        const [x, y] = toScreen(this.camera, this.size, at);
        ring(context, x, y, this.side / 2 + 3, ink.ring, 1);
        this.label(context, this.hoveredId, x + 10, y - 10, ink.text, ink.halo);
      }
    }
  }

  private drawCells(context: CanvasRenderingContext2D, colour: string): void {
    const { camera, size, cellSize } = this;
    // Lines closer together than this would be a grey sheet.
    if (cellSize * camera.scale < 24) return;
    const { from, to } = rectangle(camera, size, 0);
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.beginPath();
    for (let x = Math.ceil(from[0] / cellSize) * cellSize; x <= to[0]; x += cellSize) {
      const [px] = toScreen(camera, size, [x, 0]);
      context.moveTo(Math.round(px) + 0.5, 0);
      context.lineTo(Math.round(px) + 0.5, size.height);
    }
    for (let y = Math.ceil(from[1] / cellSize) * cellSize; y <= to[1]; y += cellSize) {
      const [, py] = toScreen(camera, size, [0, y]);
      context.moveTo(0, Math.round(py) + 0.5);
      context.lineTo(size.width, Math.round(py) + 0.5);
    }
    context.stroke();
  }

  private drawPulse(
    context: CanvasRenderingContext2D,
    { at, text }: Pulse,
    age: number,
    colour: string,
  ): void {
    const [x, y] = toScreen(this.camera, this.size, at);
    // Seen from afar there are many at once, and each is small.
    const isNear = this.camera.scale > NEAR;
    context.globalAlpha = (1 - age) * (isNear ? 1 : 0.6);
    ring(context, x, y, isNear ? 4 + age * 18 : 2 + age * 8, colour, isNear ? 1.5 : 1);
    if (isNear) {
      context.fillStyle = colour;
      context.font = FONT;
      context.fillText(text, x + 8, y + 16 + age * 6);
    }
    context.globalAlpha = 1;
  }

  private drawLinks(context: CanvasRenderingContext2D, { at, id, to, from }: Linked): void {
    const ink = INK[this.look.theme];
    const start = toScreen(this.camera, this.size, this.worldOf(id) ?? at);
    const line = (other: string, name: string | undefined, colour: string): void => {
      const place = this.worldOf(other);
      if (place === undefined) return;
      const end = toScreen(this.camera, this.size, place);
      context.strokeStyle = colour;
      context.lineWidth = 1.5;
      context.setLineDash(name === undefined ? [4, 4] : []);
      context.beginPath();
      context.moveTo(...start);
      context.lineTo(...end);
      context.stroke();
      context.setLineDash([]);
      ring(context, ...end, this.side / 2 + 3, colour, 1.5);
      const [mx, my] = [(start[0] + end[0]) / 2, (start[1] + end[1]) / 2];
      const isLong = Math.hypot(end[0] - start[0], end[1] - start[1]) > 60;
      if (name !== undefined && isLong) this.label(context, name, mx + 4, my - 4, colour, ink.halo);
    };
    for (const linker of from) line(linker, undefined, ink.linker);
    for (const { id: target, name } of to) line(target, name, ink.link);
  }

  private label(
    context: CanvasRenderingContext2D,
    text: string,
    x: number,
    y: number,
    colour: string,
    halo: string,
  ): void {
    context.font = FONT;
    const { width } = context.measureText(text);
    const left = Math.max(2, Math.min(x, this.size.width - width - 8));
    const top = Math.max(14, Math.min(y, this.size.height - 6));
    context.fillStyle = halo;
    context.fillRect(left - 4, top - 13, width + 8, 18);
    context.fillStyle = colour;
    context.fillText(text, left, top);
  }
}

const FONT = '12px system-ui, "Open Sans", sans-serif';

function ring(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  radius: number,
  colour: string,
  width: number,
): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.stroke();
}

function pulseOf({ at, event }: MapNotice, began: number): Pulse {
  return { at, text: event, began };
}

/** The farthest place that the protocol takes. */
const FARTHEST = 1e12;
function bounded(coordinate: number): number {
  return Math.max(-FARTHEST, Math.min(FARTHEST, coordinate));
}
