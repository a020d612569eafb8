/**
 * Maths with the same bits on every engine. The platform's own `Math.sin` and its like, and `**`,
 * differ between engines in the last place; these are pure arithmetic (stdlib, after FreeBSD msun).
 */
import atan2 from '@stdlib/math-base-special-atan2';
import cos from '@stdlib/math-base-special-cos';
import exp from '@stdlib/math-base-special-exp';
import ln from '@stdlib/math-base-special-ln';
import pow from '@stdlib/math-base-special-pow';
import sin from '@stdlib/math-base-special-sin';

/** Deterministic maths for machines and kinds; angles in radians. */
export const math = Object.freeze({
  sin: (x: number): number => sin(x),
  cos: (x: number): number => cos(x),
  exp: (x: number): number => exp(x),
  ln: (x: number): number => ln(x),
  pow: (x: number, y: number): number => pow(x, y),
  atan2: (y: number, x: number): number => atan2(y, x),
});
