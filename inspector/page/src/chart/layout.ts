/**
 * Where the states and transitions of a chart are drawn, worked out by elkjs in a worker. A layout
 * costs 0.3 to 2 s, so each chart is laid out once: the same states and texts give the same layout.
 */
import ELK, { type ElkExtendedEdge, type ElkNode } from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';
import type { ChartState, ChartTransition, KindChart } from '../../../../src/machine/chart.ts';
import { textWidth } from './text-width.ts';
import { type Row, rowsOf, transitionText } from './texts.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface StateBox extends Box {
  readonly state: ChartState;
  readonly rows: readonly Row[];
}

export interface Arrow {
  readonly id: string;
  /** Undefined for the arrow from an initial dot. */
  readonly transition: ChartTransition | undefined;
  readonly source: string;
  readonly target: string;
  readonly points: readonly Point[];
  readonly label: Box | undefined;
}

export interface Layout extends Pick<Box, 'width' | 'height'> {
  /** Parents before children, in coordinates of the whole. */
  readonly states: readonly StateBox[];
  readonly dots: readonly Box[];
  readonly arrows: readonly Arrow[];
}

const ROW = 18;
const HEAD = 28;
const DOT = 10;

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'org.eclipse.elk.json.edgeCoords': 'ROOT',
  'elk.edgeLabels.inline': 'true',
  'elk.layered.cycleBreaking.strategy': 'BFS_NODE_ORDER',
  'elk.spacing.nodeNode': '36',
  'elk.spacing.edgeNode': '20',
  'elk.spacing.edgeEdge': '16',
  'elk.spacing.edgeLabel': '6',
  'elk.spacing.labelNode': '8',
  'elk.spacing.nodeSelfLoop': '18',
  'elk.layered.spacing.nodeNodeBetweenLayers': '32',
  'elk.layered.spacing.edgeNodeBetweenLayers': '18',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '16',
};

const ON_BOTH_SIDES = { 'elk.layered.edgeRouting.selfLoopDistribution': 'EQUALLY' };

const layouts = new Map<string, Promise<Layout>>();
let elk: InstanceType<typeof ELK> | undefined;

/** The layout of a chart; the same one again for the same chart. */
export function layoutOf(chart: KindChart): Promise<Layout> {
  const key = JSON.stringify([chart.states, chart.transitions]);
  let layout = layouts.get(key);
  if (layout === undefined) {
    layout = laidOut(chart);
    layouts.set(key, layout);
    // One that failed may go better another time.
    layout.catch(() => layouts.delete(key));
  }
  return layout;
}

async function laidOut(chart: KindChart): Promise<Layout> {
  elk ??= new ELK({ workerFactory: () => new Worker(workerUrl) });
  const graph = graphOf(chart);
  const placed = await elk.layout(graph, { layoutOptions: OPTIONS });
  return readLayout(chart, placed);
}

function graphOf(chart: KindChart): ElkNode {
  const [root] = chart.states;
  const edges: ElkExtendedEdge[] = chart.transitions.flatMap((transition) =>
    transition.targets.map((target, i) => {
      const { width, height } = transitionText(transition);
      return {
        id: `${transition.id} ${i}`,
        sources: [transition.source],
        targets: [target],
        // Of several targets one says what it is.
        labels: i === 0 ? [{ text: transition.id, width, height }] : [],
      };
    }),
  );
  for (const { id, initial } of chart.states) {
    if (initial !== undefined)
      edges.push({ id: `initial ${id}`, sources: [dotOf(id)], targets: [initial] });
  }
  return {
    id: 'chart',
    children: root === undefined ? [] : [nodeOf(root, chart)],
    edges,
  };
}

function nodeOf(state: ChartState, chart: KindChart): ElkNode {
  const children = chart.states.filter(({ parent }) => parent === state.id);
  const rows = rowsOf(state, chart);
  const width = Math.max(
    textWidth(state.key, 13, 600) + typeWidth(state) + 28,
    ...rows.map(({ text }) => textWidth(text, 11) + 22),
    64,
  );
  const height = HEAD + rows.length * ROW + (rows.length > 0 ? 6 : 0);
  if (state.type === 'history') return { id: state.id, width: 30, height: 30 };
  if (children.length === 0) {
    const loops = chart.transitions.filter(
      ({ source, targets: [target] }) => source === state.id && target === source,
    );
    // Two on one side would stand one behind the other.
    const layoutOptions = loops.length > 1 ? ON_BOTH_SIDES : {};
    return { id: state.id, width, height, layoutOptions };
  }
  const dots =
    state.initial === undefined
      ? []
      : [
          {
            id: dotOf(state.id),
            width: DOT,
            height: DOT,
            layoutOptions: { 'elk.layered.layering.layerConstraint': 'FIRST' },
          },
        ];
  return {
    id: state.id,
    children: [...dots, ...children.map((child) => nodeOf(child, chart))],
    layoutOptions: {
      'elk.padding': `[top=${height + 14},left=18,bottom=18,right=18]`,
      'elk.nodeSize.constraints': 'MINIMUM_SIZE',
      'elk.nodeSize.minimum': `(${width},${height})`,
    },
  };
}

/** Room for the word beside the name of a parallel or final state. */
function typeWidth({ type }: ChartState): number {
  return type === 'parallel' || type === 'final' ? textWidth(type, 11) + 14 : 0;
}

function dotOf(id: string): string {
  return `initial dot of ${id}`;
}

function readLayout(chart: KindChart, placed: ElkNode): Layout {
  const boxes = new Map<string, Box>();
  const walk = (node: ElkNode, dx: number, dy: number): void => {
    for (const child of node.children ?? []) {
      const { id, x = 0, y = 0, width = 0, height = 0 } = child;
      boxes.set(id, { x: x + dx, y: y + dy, width, height });
      walk(child, x + dx, y + dy);
    }
  };
  walk(placed, 0, 0);
  const transitions = new Map(chart.transitions.map((one) => [one.id, one]));
  const arrows = (placed.edges ?? []).map((edge): Arrow => {
    const [section] = edge.sections ?? [];
    const [label] = edge.labels ?? [];
    const transition = transitions.get(edge.id.replace(/ \d+$/, ''));
    return {
      id: edge.id,
      transition: edge.id.startsWith('initial ') ? undefined : transition,
      source: edge.sources[0] ?? '',
      target: edge.targets[0] ?? '',
      points:
        section === undefined
          ? []
          : [section.startPoint, ...(section.bendPoints ?? []), section.endPoint],
      label:
        label === undefined
          ? undefined
          : {
              x: label.x ?? 0,
              y: label.y ?? 0,
              width: label.width ?? 0,
              height: label.height ?? 0,
            },
    };
  });
  return {
    width: placed.width ?? 0,
    height: placed.height ?? 0,
    states: chart.states.flatMap((state) => {
      const box = boxes.get(state.id);
      return box === undefined ? [] : [{ ...box, state, rows: rowsOf(state, chart) }];
    }),
    dots: chart.states.flatMap(({ id }) => boxes.get(dotOf(id)) ?? []),
    arrows,
  };
}
