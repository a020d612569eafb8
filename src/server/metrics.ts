/**
 * A running server in figures for Prometheus. Nothing is counted here; each figure is looked up when
 * it is asked for. No figure holds a name, an id or anything out of a record.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ServerStats } from '../protocol/admin.ts';

/** What frames of the world cost; the counts that a histogram needs, and nothing else. */
export class FrameCosts {
  private readonly registry = new Registry();
  readonly seconds = new Histogram({
    name: 'offstage_frame_seconds',
    help: 'Real time of a frame of the world.',
    buckets: [0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.05, 0.2, 1],
    registers: [this.registry],
  });

  private count = 0;
  private milliseconds = 0;

  took(milliseconds: number): void {
    this.seconds.observe(milliseconds / 1000);
    this.count += 1;
    this.milliseconds += milliseconds;
  }

  totals(): { readonly count: number; readonly milliseconds: number } {
    const { count, milliseconds } = this;
    return { count, milliseconds };
  }
}

/** The longest frame of the last second or two. */
export class Longest {
  private readonly now: () => number;
  private beganAt: number;
  private current = 0;
  private before = 0;

  constructor(now: () => number) {
    this.now = now;
    this.beganAt = now();
  }

  took(milliseconds: number): void {
    this.turn();
    this.current = Math.max(this.current, milliseconds);
  }

  lately(): number {
    this.turn();
    return Math.max(this.current, this.before);
  }

  private turn(): void {
    const now = this.now();
    const passed = now - this.beganAt;
    if (passed < 1000) return;
    this.before = passed < 2000 ? this.current : 0;
    this.current = 0;
    this.beganAt = now;
  }
}

/** A page of metrics and the type of its text. */
export interface Metrics {
  readonly contentType: string;
  page(): Promise<string>;
}

type Figure = (stats: ServerStats) => number;

const UNSAVED = { well: 0, 'save-failed': 1, held: 2, closed: 0 } as const;

const GAUGES: Readonly<Record<string, readonly [help: string, figure: Figure]>> = {
  offstage_clients: ['Clients that are connected.', ({ clients }) => clients],
  offstage_sessions_away: ['Sessions whose client may come back.', (s) => s.replication.away],
  offstage_cells_watched: ['Cells that some client is told of.', (s) => s.cellsWatched],
  offstage_sent_bytes_per_second: [
    'Bytes sent to clients a second, of late.',
    (s) => s.replication.bytesPerSecond,
  ],
  offstage_sent_frames_per_second: [
    'Messages sent to clients a second, of late.',
    (s) => s.replication.framesPerSecond,
  ],
  offstage_buffered_bytes: [
    'Bytes that the sockets of clients have not taken yet.',
    (s) => s.replication.buffered,
  ],
  offstage_backlog: ['What is due and has not happened yet.', ({ backlog }) => backlog],
  offstage_behind_milliseconds: [
    'Game time by which the world is behind its clock.',
    ({ behind }) => behind,
  ],
  offstage_records: ['Records in the world.', ({ records }) => records],
  offstage_records_waiting: ['Records that have a next event.', ({ waiting }) => waiting],
  offstage_records_faulted: ['Records that rest with a fault.', ({ faulted }) => faulted],
  offstage_generation: ['The last generation that was saved.', (s) => s.saves.generation],
  offstage_saved_at_seconds: [
    'When that was, in seconds since 1970.',
    (s) => s.saves.savedAt / 1000,
  ],
  offstage_journal_waiting: ['Lines of the journal not yet durable.', (s) => s.saves.waiting],
  offstage_unsaved: [
    'Whether saving fails: 1 the last generation, 2 the journal, so that the world stands still.',
    (s) => UNSAVED[s.saves.state],
  ],
  offstage_game_time_seconds: ['The game time of the world.', ({ time }) => time / 1000],
  offstage_clock_speed: [
    'Game time per real time, 0 while paused.',
    ({ clock }) => (clock.paused ? 0 : clock.speed),
  ],
};

const COUNTERS: Readonly<Record<string, readonly [help: string, figure: Figure]>> = {
  offstage_sent_bytes_total: ['Bytes sent to clients.', (s) => s.replication.bytesSent],
  offstage_sent_frames_total: ['Messages sent to clients.', (s) => s.replication.framesSent],
  offstage_conflations_total: [
    'Flushes that a slow client was not sent.',
    (s) => s.replication.conflations,
  ],
  offstage_notices_missed_total: [
    'Notices that clients were told they missed.',
    (s) => s.replication.noticesMissed,
  ],
  offstage_client_commands_total: ['Commands of clients let in.', (s) => s.replication.commands],
  offstage_flushes_total: ['Flushes made.', (s) => s.replication.flushes],
  offstage_flush_seconds_total: [
    'Real time that making flushes took.',
    (s) => s.replication.flushMilliseconds / 1000,
  ],
  offstage_events_total: ['Events that happened.', ({ events }) => events],
  offstage_commands_total: ['Commands carried out or refused.', ({ commands }) => commands],
  offstage_notices_total: ['Notices that machines gave.', ({ notices }) => notices],
  offstage_faults_total: ['Events that failed.', ({ faults }) => faults],
  offstage_messages_dropped_total: [
    'Messages that nobody took.',
    ({ messagesDropped }) => messagesDropped,
  ],
};

export function metricsOf(stats: () => ServerStats, frames: FrameCosts): Metrics {
  const registry = new Registry();
  registry.registerMetric(frames.seconds);
  const gauges = Object.entries(GAUGES).map(
    ([name, [help, figure]]) => [new Gauge({ name, help, registers: [registry] }), figure] as const,
  );
  const counters = Object.entries(COUNTERS).map(
    ([name, [help, figure]]) =>
      [new Counter({ name, help, registers: [registry] }), figure] as const,
  );
  const rejects = new Counter({
    name: 'offstage_rejects_total',
    help: 'Commands of clients that were not carried out, by code.',
    labelNames: ['code'],
    registers: [registry],
  });
  return {
    contentType: registry.contentType,
    page: () => {
      // All of one moment.
      const now = stats();
      for (const [gauge, figure] of gauges) gauge.set(figure(now));
      for (const [counter, figure] of counters) {
        counter.reset();
        counter.inc(figure(now));
      }
      rejects.reset();
      for (const [code, count] of Object.entries(now.replication.rejects)) {
        rejects.inc({ code }, count);
      }
      return registry.metrics();
    },
  };
}
