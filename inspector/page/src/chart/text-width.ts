/** How wide a text is on the screen, in the font of the page. */

let measure: CanvasRenderingContext2D | null | undefined;

export function textWidth(text: string, size: number, weight: 400 | 600 = 400): number {
  measure ??= document.createElement('canvas').getContext('2d');
  if (measure === null) return text.length * size * 0.6;
  measure.font = `${weight} ${size}px system-ui, "Open Sans", sans-serif`;
  return Math.ceil(measure.measureText(text).width);
}
