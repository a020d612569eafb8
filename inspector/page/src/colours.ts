/** Colours of kinds and conditions, for the canvas; the style sheet names the same for the rest. */
import { CONDITIONS } from '../../../src/protocol/admin.ts';

export type Theme = 'dark' | 'light';
export type ColourBy = 'kind' | 'state';

/** Told apart by people who see colours differently, too; after Okabe and Ito. */
const KIND_COLOURS: Readonly<Record<Theme, readonly string[]>> = {
  dark: [
    '#56b4e9',
    '#e6a23c',
    '#3fc89a',
    '#d98cc3',
    '#f0e442',
    '#7f8cf5',
    '#f07a4a',
    '#b8c4d0',
    '#9ad14b',
    '#d05c8a',
    '#4fd6d6',
    '#c9a27e',
  ],
  light: [
    '#0b6fb3',
    '#b36b00',
    '#00805e',
    '#a8478a',
    '#8a7d00',
    '#4353c9',
    '#c2410c',
    '#56616e',
    '#4d7c0f',
    '#9f1239',
    '#0e7490',
    '#7c4a21',
  ],
};

const CONDITION_COLOURS: Readonly<Record<Theme, readonly string[]>> = {
  dark: ['#56b4e9', '#7d8794', '#b7a6f0', '#ff6b6b'],
  light: ['#0b6fb3', '#8a94a1', '#6d4fc4', '#c81e1e'],
};

export function kindColour(place: number, theme: Theme): string {
  const colours = KIND_COLOURS[theme];
  return colours[Math.max(0, place) % colours.length] as string;
}

export function conditionColour(place: number, theme: Theme): string {
  return CONDITION_COLOURS[theme][place] as string;
}

/** The colour of a look, as it comes with the marks of a map. */
export function lookColour(look: number, by: ColourBy, theme: Theme): string {
  const { length } = CONDITIONS;
  return by === 'kind'
    ? kindColour(Math.floor(look / length), theme)
    : conditionColour(look % length, theme);
}

/** A colour as a pixel of ImageData on a little-endian machine, which every browser's is. */
export function pixelOf(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((i) => Number.parseInt(colour.slice(i, i + 2), 16));
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}
