/** Parts that several message schemas share. */
import { type TProperties, Type } from 'typebox';
import { ID_PATTERN } from '../core/names.ts';

/** An object with these properties and no other. */
export function exactly<Properties extends TProperties>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false });
}

/** Beyond this a number is no place: cells are counted in whole numbers, exact up to 2^53. */
const FARTHEST = 1e12;

export const coordinate = Type.Number({ minimum: -FARTHEST, maximum: FARTHEST });
export const place = Type.Tuple([coordinate, coordinate]);
export const seq = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
export const id = Type.String({ pattern: ID_PATTERN.source });
