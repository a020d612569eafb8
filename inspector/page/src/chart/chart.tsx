/**
 * A kind's statechart. With a record it is live: the states it is in are lit, the timers that run
 * fill a bar, and a click on a transition sends its event.
 */
import '@xyflow/react/dist/style.css';
import {
  Background,
  Controls,
  type Edge,
  type Node,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import { useEffect, useMemo, useState } from 'react';
import type { KindChart } from '../../../../src/machine/chart.ts';
import type { InspectedRecord } from '../../../../src/protocol/admin.ts';
import type { Theme } from '../colours.ts';
import type { ClockFace } from '../game-clock.ts';
import { type Layout, layoutOf } from './layout.ts';
import { LiveContext, useLive } from './live.tsx';
import { PenContext } from './pen.ts';
import { DotNode, StateNode } from './state-node.tsx';
import { TransitionEdge } from './transition-edge.tsx';

export interface Live {
  readonly record: InspectedRecord;
  readonly clock: ClockFace;
  send(event: { readonly type: string }): void;
}

interface Props {
  readonly chart: KindChart;
  readonly theme: Theme;
  readonly live?: Live;
  /** With it, states and transitions are picked by a click, and drawn by dragging from state to state. */
  readonly pen?: Pen;
}

/** What the reader draws with. */
export interface Pen {
  /** The id of the state or transition that is picked. */
  readonly picked: string | undefined;
  pick(id: string): void;
  connect(source: string, target: string): void;
}

const nodeTypes = { state: StateNode, dot: DotNode };
const edgeTypes = { transition: TransitionEdge };

export function Chart({ chart, theme, live, pen }: Props) {
  const [layout, setLayout] = useState<{ readonly of: KindChart; readonly layout: Layout }>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let isWanted = true;
    setProblem(undefined);
    layoutOf(chart).then(
      (placed) => isWanted && setLayout({ of: chart, layout: placed }),
      (error: unknown) => isWanted && setProblem(String(error)),
    );
    return () => {
      isWanted = false;
    };
  }, [chart]);
  const record = useLive(chart, live);
  if (problem !== undefined)
    return <p className="bad">The chart could not be laid out: {problem}</p>;
  if (layout === undefined || layout.of.kind !== chart.kind)
    return <p className="empty">Drawing…</p>;
  return (
    <LiveContext value={record}>
      <PenContext value={pen}>
        <ReactFlowProvider>
          <Diagram layout={layout.layout} theme={theme} pen={pen} name={chart.kind} />
        </ReactFlowProvider>
      </PenContext>
    </LiveContext>
  );
}

interface DiagramProps {
  readonly layout: Layout;
  readonly theme: Theme;
  readonly pen: Pen | undefined;
  readonly name: string;
}

function Diagram({ layout, theme, pen, name }: DiagramProps) {
  const nodes = useMemo(() => nodesOf(layout), [layout]);
  const edges = useMemo(() => edgesOf(layout), [layout]);
  const { fitView } = useReactFlow();
  const [isConnecting, setIsConnecting] = useState(false);
  // A chart that has changed is shown whole again.
  useEffect(() => {
    void nodes;
    const frame = requestAnimationFrame(() => void fitView({ padding: 0.06, maxZoom: 1.1 }));
    return () => cancelAnimationFrame(frame);
  }, [nodes, fitView]);
  return (
    <ReactFlow
      aria-label={`Statechart of ${name}`}
      className={isConnecting ? 'connecting' : ''}
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      colorMode={theme}
      nodesDraggable={false}
      nodesConnectable={pen !== undefined}
      onConnectStart={() => setIsConnecting(true)}
      onConnectEnd={() => setIsConnecting(false)}
      onConnect={({ source, target }) => pen?.connect(source, target)}
      edgesFocusable={false}
      nodesFocusable={false}
      elementsSelectable={false}
      minZoom={0.1}
      maxZoom={2}
      fitView
      fitViewOptions={{ padding: 0.06, maxZoom: 1.1 }}
      proOptions={{ hideAttribution: false }}
    >
      <Background gap={20} />
      <Controls showInteractive={false} />
    </ReactFlow>
  );
}

function nodesOf({ states, dots }: Layout): Node[] {
  return [
    ...states.map(
      (box, i): Node => ({
        id: box.state.id,
        type: 'state',
        position: { x: box.x, y: box.y },
        width: box.width,
        height: box.height,
        zIndex: i === 0 ? 0 : box.state.path.length,
        data: { box },
        draggable: false,
      }),
    ),
    ...dots.map(
      ({ x, y, width, height }, i): Node => ({
        id: `dot ${i}`,
        type: 'dot',
        position: { x, y },
        width,
        height,
        zIndex: 20,
        data: {},
        draggable: false,
      }),
    ),
  ];
}

function edgesOf({ arrows, states }: Layout): Edge[] {
  const [root] = states;
  if (root === undefined) return [];
  return arrows.map(
    (arrow): Edge => ({
      id: arrow.id,
      type: 'transition',
      // Edges are drawn by the layout's own points; React Flow only needs two nodes that exist.
      source: arrow.transition?.source ?? arrow.target,
      target: arrow.target,
      zIndex: 30,
      data: { arrow },
    }),
  );
}
