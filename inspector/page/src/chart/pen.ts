/** What the reader draws with, for every part of a chart. */
import { createContext, useContext } from 'react';
import type { Pen } from './chart.tsx';

export const PenContext = createContext<Pen | undefined>(undefined);

export function usePen(): Pen | undefined {
  return useContext(PenContext);
}
