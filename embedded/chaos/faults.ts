import { setTimeout as sleep } from 'node:timers/promises';
import type { SinkRule, SmtpSink } from '../smtp-sink.ts';
import type { Wire } from './proxy.ts';

/** What a fault may lay hands on. */
export interface Victims {
  signal(part: string, signal: NodeJS.Signals): void;
  database: Wire;
  temporal: Wire;
  sink: SmtpSink;
}

export interface Fault {
  /** Done once in mid-send. */
  strike(victims: Victims): Promise<void>;
  /** Uncertain recipients it may leave, as windows of one worker (twice its connections); the fewest is none. */
  windows: number;
  /** Whom the relay refuses for good while it lasts; nobody else may be failed. */
  refused?: RegExp;
}

/** Longer than lease and heartbeat timeout: by then others have taken over, and whoever wakes up is a zombie. */
const LONG_PAUSE_MS = 14_000;

const kill = (part: string, windows: number): Fault => ({
  windows,
  async strike({ signal }) {
    signal(part, 'SIGKILL');
  },
});

const pause = (part: string, ms: number, windows: number): Fault => ({
  windows,
  async strike({ signal }) {
    signal(part, 'SIGSTOP');
    await sleep(ms);
    signal(part, 'SIGCONT');
  },
});

const cut = (which: 'database' | 'temporal', mode: 'refuse' | 'swallow', ms: number, windows: number): Fault => ({
  windows,
  async strike(victims) {
    victims[which].set(mode);
    await sleep(ms);
    victims[which].set('pass');
  },
});

const relay = (rules: SinkRule[], ms: number, windows: number, refused?: RegExp): Fault => ({
  windows,
  ...(refused && { refused }),
  async strike({ sink }) {
    sink.setRules(rules);
    await sleep(ms);
    sink.setRules([]);
  },
});

const EVERY_SEVENTH = /7@example\.org$/;

/** Every kind of trouble, by name. */
export const FAULTS: Record<string, Fault> = {
  'kill-worker': kill('worker-1', 1),
  'kill-api': kill('api', 0),
  'kill-postgres': kill('postgres', 2),
  'kill-temporal': kill('temporal', 0),
  'stop-worker': {
    windows: 0,
    async strike({ signal }) {
      signal('worker-1', 'SIGTERM');
    },
  },
  'pause-worker': pause('worker-1', LONG_PAUSE_MS, 1),
  'pause-postgres': pause('postgres', 5_000, 2),
  'pause-temporal': pause('temporal', 8_000, 0),
  'cut-database': cut('database', 'refuse', 2_000, 2),
  'swallow-database': cut('database', 'swallow', 4_000, 2),
  'cut-temporal': cut('temporal', 'refuse', 3_000, 0),
  'swallow-temporal': cut('temporal', 'swallow', 6_000, 0),
  'relay-drops': {
    windows: 2,
    async strike({ sink }) {
      sink.dropConnections();
    },
  },
  'relay-421': relay([{ at: 'mail', reply: '421 4.3.2 closing', next: 'close' }], 1_000, 0),
  'relay-450': relay([{ at: 'rcpt', reply: '450 4.2.0 later', times: 40 }], 1_000, 0),
  'relay-452-at-end': relay([{ at: 'message', reply: '452 4.3.1 full', times: 40 }], 1_000, 0),
  'relay-550': relay([{ at: 'rcpt', match: EVERY_SEVENTH.source, reply: '550 5.1.1 nobody' }], 1_500, 0, EVERY_SEVENTH),
  'relay-554-at-end': relay([{ at: 'message', match: EVERY_SEVENTH.source, reply: '554 5.7.1 no' }], 1_500, 0, EVERY_SEVENTH),
  'relay-garbage': relay([{ at: 'message', reply: '\u0000\u0001 what?', next: 'close', times: 4 }], 1_000, 2),
  'relay-silent': relay([{ at: 'message', next: 'stall', times: 4 }], 1_000, 2),
  'relay-closes-before-dot': relay([{ at: 'content', next: 'close', times: 8 }], 1_000, 2),
  'relay-closes-after-dot': relay([{ at: 'message', next: 'close', times: 8 }], 1_000, 2),
  'relay-takes-and-closes': relay([{ at: 'message', next: 'close', keep: true, times: 8 }], 1_000, 2),
};
