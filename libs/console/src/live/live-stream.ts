import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Awaitable } from 'rookery/internal/common';
import type { Activity, LiveStatus } from '../contract/index.js';

const everyMs = 200;
const statusMs = 2000;
/** A viewer that has not read anything for this long is disconnected. */
const patienceMs = 15_000;

/** What a viewer is told. */
export interface LiveSource {
  /** The activities since the last call, and how many were too many. */
  next(): Promise<{ readonly activities: readonly Activity[]; readonly dropped: number }>;
  /** The number of processes. */
  nodes(): number;
  /** Whether to continue: the viewer may have signed out in any process. */
  mayLook(): Awaitable<boolean>;
}

/** Streams activities as server-sent events. For a viewer that does not read, nothing is asked for. */
export function liveStream(source: LiveSource): Readable {
  const patience = setTimeout(() => stream.destroy(), patienceMs).unref();
  const stream = Readable.from(eventsOf(source, patience), { highWaterMark: 1 });
  return stream.once('close', () => clearTimeout(patience));
}

async function* eventsOf({ next, nodes, mayLook }: LiveSource, patience: NodeJS.Timeout): AsyncGenerator<string> {
  // Proxies and browsers forward nothing before the first bytes.
  yield ':\n\n';
  let dropped = 0;
  for (let statusAt = 0; ; await sleep(everyMs, undefined, { ref: false })) {
    patience.refresh();
    try {
      if (performance.now() >= statusAt) {
        if (!(await mayLook())) return;
        yield textOf('status', { dropped, nodes: nodes() } satisfies LiveStatus);
        statusAt = performance.now() + statusMs;
      }
      const found = await next();
      dropped += found.dropped;
      if (found.activities.length > 0) yield textOf('activities', found.activities);
    } catch {
      // The store or the other processes are out of reach: they are asked again.
    }
  }
}

const textOf = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
