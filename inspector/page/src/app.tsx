/** The page as a whole: the bar above, figures and lists on the left, the map, a record on the right. */

import { useCallback, useEffect, useMemo, useState } from 'react';
import { useLink, useMachines, useStats } from './admin-context.ts';
import { Cheats } from './cheats.tsx';
import { ClockBar } from './clock-bar.tsx';
import type { Theme } from './colours.ts';
import { Drawing } from './drawing/drawing.tsx';
import { useClock } from './game-clock.ts';
import { Icon } from './icons.tsx';
import { LinkBanner } from './link-banner.tsx';
import { Faults, Kinds, Next } from './lists.tsx';
import { RecordPanel } from './record/record-panel.tsx';
import { Search } from './search.tsx';
import { Tiles } from './tiles.tsx';
import { WorldMap } from './world-map/world-map.tsx';

type Tab = 'kinds' | 'next' | 'faults' | 'cheats';

const TABS: readonly (readonly [Tab, string])[] = [
  ['kinds', 'Kinds'],
  ['next', 'Next'],
  ['faults', 'Faults'],
  ['cheats', 'Cheats'],
];

export function App() {
  const link = useLink();
  const stats = useStats();
  const { machines, isDrawable, problem } = useMachines();
  const clock = useClock(stats, link.state === 'open');
  const [theme, setTheme] = useTheme();
  const [selectedId, setSelectedId] = useSelection();
  const [tab, setTab] = useState<Tab>('kinds');
  const [kind, setKind] = useState<string>();
  const [drawn, setDrawn] = useState<string>();
  const chart = useMemo(() => machines.find((one) => one.kind === drawn), [machines, drawn]);
  const world = link.state === 'open' ? link.welcome.world : stats?.world;

  useEffect(() => {
    document.title = world === undefined ? 'Offstage' : `${world} · Offstage`;
  }, [world]);

  return (
    <div className="app">
      <header className="bar">
        <h1>
          <span className={`dot ${link.state}`} aria-hidden="true" />
          {world ?? 'Offstage'}
        </h1>
        <ClockBar clock={clock} behind={stats?.behind ?? 0} isLive={link.state === 'open'} />
        <Search onSelect={setSelectedId} />
        <button
          type="button"
          className="quiet"
          aria-label={theme === 'dark' ? 'Switch to light' : 'Switch to dark'}
          title={theme === 'dark' ? 'Light' : 'Dark'}
          onClick={() => setTheme(theme === 'dark' ? 'light' : 'dark')}
        >
          <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
        </button>
      </header>
      <LinkBanner />
      {problem !== null && <SourceProblem problem={problem} />}
      <main className={selectedId === undefined ? 'columns' : 'columns has-record'}>
        <aside className="left" aria-label="Figures and lists">
          <Tiles stats={stats} theme={theme} />
          <div className="tabs" role="tablist" aria-label="Lists">
            {TABS.map(([name, title]) => (
              <button
                key={name}
                type="button"
                role="tab"
                aria-selected={tab === name}
                aria-controls="list"
                onClick={() => setTab(name)}
              >
                {title}
                {name === 'faults' && stats !== undefined && stats.faulted > 0 && (
                  <b className="badge">{stats.faulted}</b>
                )}
              </button>
            ))}
          </div>
          <div className="list" id="list" role="tabpanel">
            {tab === 'kinds' && (
              <Kinds
                stats={stats}
                theme={theme}
                kind={kind}
                onKind={setKind}
                onDraw={setDrawn}
                order={machines}
              />
            )}
            {tab === 'next' && <Next clock={clock} onSelect={setSelectedId} />}
            {tab === 'faults' && <Faults clock={clock} onSelect={setSelectedId} />}
            {tab === 'cheats' && (
              <Cheats machines={machines} selectedId={selectedId} onSelect={setSelectedId} />
            )}
          </div>
        </aside>
        <div className="middle">
          <WorldMap theme={theme} selectedId={selectedId} kind={kind} onSelect={setSelectedId} />
          {chart !== undefined && (
            <Drawing
              key={chart.kind}
              chart={chart}
              theme={theme}
              isDrawable={isDrawable}
              onClose={() => setDrawn(undefined)}
            />
          )}
        </div>
        {selectedId !== undefined && (
          <RecordPanel
            id={selectedId}
            clock={clock}
            machines={machines}
            theme={theme}
            onSelect={setSelectedId}
          />
        )}
      </main>
    </div>
  );
}

/** The sources of the kinds cannot be loaded as they are; the world goes on with what it has. */
function SourceProblem({ problem }: { readonly problem: string }) {
  return (
    <div className="banner" role="alert">
      The kinds' sources do not load, and the world goes on with those it has:{' '}
      <code className="bad">{problem}</code>
    </div>
  );
}

/** The theme of the system, until another is chosen here. */
function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const system = matchMedia('(prefers-color-scheme: light)');
  const [chosen, setChosen] = useState(() => localStorage.getItem('offstage-theme'));
  const [isLight, setIsLight] = useState(system.matches);
  useEffect(() => {
    const change = (): void => setIsLight(system.matches);
    system.addEventListener('change', change);
    return () => system.removeEventListener('change', change);
  }, [system]);
  const theme: Theme =
    chosen === 'light' || chosen === 'dark' ? chosen : isLight ? 'light' : 'dark';
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  return [
    theme,
    (next) => {
      localStorage.setItem('offstage-theme', next);
      setChosen(next);
    },
  ];
}

/** The record that is looked at, kept in the address so that it can be passed on and gone back from. */
function useSelection(): readonly [string | undefined, (id: string | undefined) => void] {
  const read = (): string | undefined =>
    new URLSearchParams(location.search).get('record') ?? undefined;
  const [id, setId] = useState(read);
  useEffect(() => {
    const back = (): void => setId(read());
    addEventListener('popstate', back);
    return () => removeEventListener('popstate', back);
  });
  const select = useCallback((next: string | undefined): void => {
    const address = new URL(location.href);
    if (next === undefined) address.searchParams.delete('record');
    else address.searchParams.set('record', next);
    if (address.href !== location.href) history.pushState(null, '', address);
    setId(next);
  }, []);
  return [id, select];
}
