/** Icons, drawn here, because not every machine's fonts have such signs. */
import type { ReactNode } from 'react';

const SHAPES = {
  play: <path d="M5 3.5v9l7.5-4.5z" fill="currentColor" stroke="none" />,
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" strokeWidth="2.4" />,
  close: <path d="M4 4l8 8M12 4l-8 8" />,
  plus: <path d="M8 3v10M3 8h10" />,
  minus: <path d="M3 8h10" />,
  whole: <path d="M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3" />,
  larger: <path d="M9 3h4v4M13 3L9 7M7 13H3V9M3 13l4-4" />,
  smaller: <path d="M13 7H9V3M9 7l4-4M3 9h4v4M7 9l-4 4" />,
  sun: (
    <path d="M8 5.2a2.8 2.8 0 100 5.6 2.8 2.8 0 000-5.6zM8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6M3.2 3.2l1.1 1.1M11.7 11.7l1.1 1.1M12.8 3.2l-1.1 1.1M4.3 11.7l-1.1 1.1" />
  ),
  moon: <path d="M12.8 9.6A5.4 5.4 0 016.4 3.2a5.4 5.4 0 106.4 6.4z" />,
  chart: <path d="M3 2.5h4v3H3zM9 10.5h4v3H9zM5 5.5v6.5h4" />,
  open: <path d="M4 6l4 4 4-4" />,
  shut: <path d="M6 4l4 4-4 4" />,
  to: <path d="M2.5 8h10M9 4.5L12.5 8 9 11.5" />,
  from: <path d="M13.5 8h-10M7 4.5L3.5 8 7 11.5" />,
  undo: <path d="M5 3L2.5 5.5 5 8M3 5.5h6a3.8 3.8 0 010 7.5H6" />,
  redo: <path d="M11 3l2.5 2.5L11 8M13 5.5H7a3.8 3.8 0 000 7.5h3" />,
} as const satisfies Readonly<Record<string, ReactNode>>;

export function Icon({ name }: { readonly name: keyof typeof SHAPES }) {
  return (
    <svg
      className="icon"
      viewBox="0 0 16 16"
      width="14"
      height="14"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {SHAPES[name]}
    </svg>
  );
}
