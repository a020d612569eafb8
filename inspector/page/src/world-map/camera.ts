/** Where the map looks, and how near. A plain value; moving gives another. */

export interface Camera {
  /** World units, in the middle of the screen. */
  readonly x: number;
  readonly y: number;
  /** Screen pixels for a world unit. */
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const LEAST_SCALE = 1e-5;
const MOST_SCALE = 4;

export function toScreen(
  { x, y, scale }: Camera,
  { width, height }: Size,
  at: readonly number[],
): [number, number] {
  return [((at[0] ?? 0) - x) * scale + width / 2, ((at[1] ?? 0) - y) * scale + height / 2];
}

export function toWorld(
  { x, y, scale }: Camera,
  { width, height }: Size,
  px: number,
  py: number,
): [number, number] {
  return [(px - width / 2) / scale + x, (py - height / 2) / scale + y];
}

export function panned(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.scale, y: camera.y - dy / camera.scale };
}

/** Zoomed about a point of the screen, which stays where it is. */
export function zoomed(camera: Camera, size: Size, factor: number, px: number, py: number): Camera {
  const [wx, wy] = toWorld(camera, size, px, py);
  const scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, camera.scale * factor));
  return { scale, x: wx - (px - size.width / 2) / scale, y: wy - (py - size.height / 2) / scale };
}

/** Shows a rectangle of the world with some room around it, above so many pixels that are covered. */
export function fitting(
  from: readonly [number, number],
  to: readonly [number, number],
  { width, height }: Size,
  covered: number,
): Camera {
  const [across, down] = [Math.max(to[0] - from[0], 100), Math.max(to[1] - from[1], 100)];
  const fitted = Math.min(width / across, (height - covered) / down, MOST_SCALE / 1.15) / 1.15;
  const scale = Math.max(LEAST_SCALE, fitted);
  return { x: (from[0] + to[0]) / 2, y: (from[1] + to[1]) / 2 + covered / 2 / scale, scale };
}

/** The rectangle of the world on the screen, grown by a share of its size on each side. */
export function rectangle(
  camera: Camera,
  size: Size,
  grown: number,
): { from: [number, number]; to: [number, number] } {
  const [w, h] = [size.width / camera.scale, size.height / camera.scale];
  const [dx, dy] = [w * (0.5 + grown), h * (0.5 + grown)];
  return { from: [camera.x - dx, camera.y - dy], to: [camera.x + dx, camera.y + dy] };
}
