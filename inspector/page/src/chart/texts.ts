/** What stands in the boxes and at the arrows of a chart. */
import type {
  ChartState,
  ChartTransition,
  KindChart,
  Named,
} from '../../../../src/machine/chart.ts';
import { stretchText } from '../words.ts';
import { textWidth } from './text-width.ts';

/** A line inside a state: what it does as it is entered and left, and what it takes without leaving. */
export interface Row {
  readonly text: string;
  /** The transition that the line stands for, if it is one. */
  readonly transition?: ChartTransition;
}

export interface LabelText {
  /** What makes it happen. */
  readonly head: string;
  /** Its guard and its actions, a line each. */
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
}

export function rowsOf(state: ChartState, chart: KindChart): readonly Row[] {
  const rows: Row[] = [];
  if (state.entry.length > 0) rows.push({ text: `entry / ${names(state.entry)}` });
  if (state.exit.length > 0) rows.push({ text: `exit / ${names(state.exit)}` });
  for (const transition of chart.transitions) {
    if (transition.source !== state.id || transition.targets.length > 0) continue;
    const { actions, guard } = transition;
    const when = guard === undefined ? '' : ` [${guard.name}]`;
    const does = actions.length === 0 ? ' (nothing)' : ` / ${names(actions)}`;
    rows.push({ text: `${triggerText(transition)}${when}${does}`, transition });
  }
  return rows;
}

const WIDE = 30;

export function transitionText(transition: ChartTransition): LabelText {
  const head = triggerText(transition);
  const { guard, actions } = transition;
  const lines = [
    ...(guard === undefined ? [] : [`[${guard.name}]`]),
    ...wrapped(actions.map(({ name }) => name)),
  ];
  const width =
    Math.max(textWidth(head, 12, 600), ...lines.map((line) => textWidth(line, 11))) + 18;
  return { head, lines, width, height: 22 + lines.length * 15 };
}

function triggerText({ trigger }: ChartTransition): string {
  switch (trigger.type) {
    case 'event':
      return trigger.event;
    case 'after':
      return `after ${/^\d+(\.\d+)?$/.test(trigger.delay) ? stretchText(Number(trigger.delay)) : trigger.delay}`;
    case 'always':
      return 'always';
    case 'done':
      return 'done';
    default:
      trigger satisfies never;
      return '';
  }
}

function names(all: readonly Named[]): string {
  return all.map(({ name }) => name).join(', ');
}

/** Names of actions, as many on a line as fit. */
function wrapped(all: readonly string[]): string[] {
  const lines: string[] = [];
  for (const [i, name] of all.entries()) {
    const text = i === all.length - 1 ? name : `${name},`;
    const last = lines.at(-1);
    if (last !== undefined && last.length + text.length < WIDE)
      lines[lines.length - 1] = `${last} ${text}`;
    else lines.push(`${lines.length === 0 ? '/ ' : ''}${text}`);
  }
  return lines;
}
