/** The map of the world: it pans by dragging and arrow keys, zooms by wheel and + and −. */

import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { CONDITIONS } from '../../../../src/protocol/admin.ts';
import { useAdmin, useLink, useRecord } from '../admin-context.ts';
import { type ColourBy, conditionColour, kindColour, type Theme } from '../colours.ts';
import { Icon } from '../icons.tsx';
import { counted } from '../words.ts';
import { MapView } from './map-view.ts';

interface Props {
  readonly theme: Theme;
  readonly selectedId: string | undefined;
  /** Only this kind is shown, if one is. */
  readonly kind: string | undefined;
  onSelect(id: string | undefined): void;
}

/** What a test measures drawing by. */
declare global {
  interface Window {
    offstageMap?: MapView;
  }
}

const PAN = 60;
/** A pointer that moved less between down and up has clicked. */
const STILL = 4;

export function WorldMap({ theme, selectedId, kind, onSelect }: Props) {
  const admin = useAdmin();
  const link = useLink();
  const frame = useRef<HTMLDivElement>(null);
  const pixels = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const legend = useRef<HTMLDivElement>(null);
  const view = useRef<MapView>(undefined);
  const select = useRef(onSelect);
  select.current = onSelect;
  const [by, setBy] = useState<ColourBy>('kind');
  const [hoveredId, setHoveredId] = useState<string>();
  const [kinds, setKinds] = useState<readonly string[]>([]);
  const [told, setTold] = useState<{ readonly size: number; readonly toCome: number }>();
  const lookedAt = useRecord(hoveredId ?? selectedId);
  const selected = useRecord(selectedId);

  useEffect(() => {
    if (pixels.current === null || above.current === null || frame.current === null) return;
    const take = (message: Parameters<MapView['take']>[0]): void => {
      map.take(message);
      setTold({ size: map.points.size, toCome: message.toCome });
      setKinds((before) => (String(before) === String(message.kinds) ? before : message.kinds));
    };
    let stop = (): void => {};
    const map = new MapView(pixels.current, above.current, {
      watch: (from, to) => {
        const before = stop;
        stop = admin.watch({ type: 'watch', what: 'map', from, to }, 'map', take);
        // After the new one, or the map would be unwatched in between.
        before();
      },
      hovered: setHoveredId,
      clicked: (id) => select.current(id),
    });
    // Nothing but where the world lies.
    stop = admin.watch({ type: 'watch', what: 'map', from: [0, 0], to: [0, 0] }, 'map', take);
    view.current = map;
    window.offstageMap = map;
    const sizes = new ResizeObserver(() => {
      const [all, low] = [frame.current, legend.current];
      if (all !== null)
        map.resize(all.clientWidth, all.clientHeight, (low?.offsetHeight ?? 0) + 20);
    });
    sizes.observe(frame.current);
    if (legend.current !== null) sizes.observe(legend.current);
    const wheel = (event: WheelEvent): void => {
      event.preventDefault();
      map.zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
    };
    const canvas = above.current;
    // React's own listener could not keep the page from scrolling.
    canvas.addEventListener('wheel', wheel, { passive: false });
    return () => {
      canvas.removeEventListener('wheel', wheel);
      sizes.disconnect();
      map.close();
      stop();
    };
  }, [admin]);

  useEffect(() => view.current?.setLook({ by, theme, kind }), [by, theme, kind]);
  useEffect(() => {
    view.current?.setLinked(
      lookedAt
        ? {
            id: lookedAt.id,
            at: lookedAt.at,
            to: Object.entries(lookedAt.links).map(([name, id]) => ({ name, id })),
            from: lookedAt.linkedBy.slice(0, 200),
          }
        : undefined,
    );
  }, [lookedAt]);
  const wasSelected = useRef<string>(undefined);
  useEffect(() => {
    view.current?.select(selected ?? undefined, selected?.id !== wasSelected.current);
    wasSelected.current = selected?.id;
  }, [selected]);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (link.state === 'open' && !wasOpen.current) view.current?.askAgain();
    wasOpen.current = link.state === 'open';
  }, [link]);

  const drag = useRef<{ x: number; y: number; moved: number }>(undefined);
  const down = (event: PointerEvent<HTMLCanvasElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, y: event.clientY, moved: 0 };
  };
  const move = (event: PointerEvent<HTMLCanvasElement>): void => {
    const { offsetX, offsetY } = event.nativeEvent;
    const { current } = drag;
    if (current === undefined) {
      view.current?.point(offsetX, offsetY);
      return;
    }
    const [dx, dy] = [event.clientX - current.x, event.clientY - current.y];
    current.moved += Math.abs(dx) + Math.abs(dy);
    current.x = event.clientX;
    current.y = event.clientY;
    if (current.moved > STILL) view.current?.pan(dx, dy);
  };
  const up = (event: PointerEvent<HTMLCanvasElement>): void => {
    const { offsetX, offsetY } = event.nativeEvent;
    if (drag.current !== undefined && drag.current.moved <= STILL)
      view.current?.click(offsetX, offsetY);
    drag.current = undefined;
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.target !== event.currentTarget) return;
    const map = view.current;
    switch (event.key) {
      case 'ArrowLeft':
        map?.pan(PAN, 0);
        break;
      case 'ArrowRight':
        map?.pan(-PAN, 0);
        break;
      case 'ArrowUp':
        map?.pan(0, PAN);
        break;
      case 'ArrowDown':
        map?.pan(0, -PAN);
        break;
      case '+':
      case '=':
        map?.zoom(1.3);
        break;
      case '-':
        map?.zoom(1 / 1.3);
        break;
      case '0':
        map?.showAll();
        break;
      case 'Escape':
        onSelect(undefined);
        break;
      default:
        return;
    }
    event.preventDefault();
  };

  const isEmpty = told !== undefined && told.size === 0 && told.toCome === 0;
  return (
    <section
      className="map"
      aria-label="Map of the world"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the map is moved by keys, so it takes the focus.
      tabIndex={0}
      onKeyDown={keys}
      ref={frame}
    >
      <canvas ref={pixels} className="map-pixels" />
      <canvas
        ref={above}
        className="map-above"
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerLeave={() => view.current?.point(undefined)}
      />
      <div className="map-tools">
        <button
          type="button"
          title="Nearer (+)"
          aria-label="Zoom in"
          onClick={() => view.current?.zoom(1.5)}
        >
          <Icon name="plus" />
        </button>
        <button
          type="button"
          title="Farther (−)"
          aria-label="Zoom out"
          onClick={() => view.current?.zoom(1 / 1.5)}
        >
          <Icon name="minus" />
        </button>
        <button
          type="button"
          title="Show the whole world (0)"
          aria-label="Show the whole world"
          onClick={() => view.current?.showAll()}
        >
          <Icon name="whole" />
        </button>
      </div>
      <div className="map-legend" ref={legend}>
        <label>
          Colour by{' '}
          <select value={by} onChange={(event) => setBy(event.target.value as ColourBy)}>
            <option value="kind">kind</option>
            <option value="state">state</option>
          </select>
        </label>
        <ul>
          {by === 'kind'
            ? kinds.map((name, i) => (
                <li key={name}>
                  <i style={{ background: kindColour(i, theme) }} />
                  {name}
                </li>
              ))
            : CONDITIONS.map((name, i) => (
                <li key={name}>
                  <i style={{ background: conditionColour(i, theme) }} />
                  {name}
                </li>
              ))}
        </ul>
        <p className="faint">
          {told === undefined ? 'Asking…' : counted(told.size, 'record')}
          {told !== undefined && told.toCome > 0 ? ', more to come' : ' in and around this view'}
        </p>
      </div>
      {isEmpty && (
        <p className="map-empty">
          No records here. Show the whole world with <kbd>0</kbd>, or add some under Cheats.
        </p>
      )}
    </section>
  );
}
