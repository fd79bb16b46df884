import { setTimeout as sleep } from 'node:timers/promises';
import type { Activity, LiveStatus } from '../../../console/src/api/contract.js';
import { Fault, lineOf, Refused } from '../fault.js';
import { tell } from '../output.js';
import type { ConsoleOwner } from './console-owner.js';

/** Enough to recognize the past ones that a new connection begins with. */
const maxRemembered = 50_000;
/** The server sends its status every two seconds. */
const maxSilenceMs = 10_000;

/**
 * The activities of an app as they happen, each once, beginning with those of the last minutes. Reconnects, which it
 * reports on stderr, as it does missing activities. Ends when the signal is aborted.
 * @throws Fault if the first connection fails, or the server refuses a later one
 */
export async function* activityFeed(
  { api, path }: ConsoleOwner,
  query: URLSearchParams,
  signal: AbortSignal,
): AsyncIterable<Activity> {
  const known = new Set<string>();
  let isConnected = false;
  for (let failures = 0; !signal.aborted; failures++) {
    let lost = 'the server ended it';
    const silence = new AbortController();
    const timer = setTimeout(
      () => silence.abort(new Fault(`The server has sent nothing for ${maxSilenceMs / 1000} seconds`)),
      maxSilenceMs,
    );
    try {
      const { body } = await api.stream(`${path}/live?${String(query)}`, AbortSignal.any([signal, silence.signal]));
      if (failures > 0) tell('Connected again');
      isConnected = true;
      failures = 0;
      for await (const activity of activitiesIn(body!, () => timer.refresh())) {
        if (known.has(activity.id)) continue;
        known.add(activity.id);
        if (known.size > maxRemembered) known.delete(known.values().next().value!);
        yield activity;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!isConnected || error instanceof Refused) throw error;
      lost = lineOf(error);
    } finally {
      clearTimeout(timer);
    }
    if (failures === 0) tell(`The connection was lost (${lost}). Connecting again`);
    await sleep(Math.min(10_000, 500 * 2 ** failures), undefined, { signal }).catch(() => {});
  }
}

/** Reads a stream of server-sent events. */
async function* activitiesIn(body: ReadableStream<Uint8Array>, onText: () => void): AsyncIterable<Activity> {
  let rest = '';
  let dropped = 0;
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    onText();
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      const [, event, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      if (event === 'activities') yield* JSON.parse(data) as Activity[];
      if (event !== 'status') continue;
      const status = JSON.parse(data) as LiveStatus;
      if (status.dropped > dropped) tell(`${status.dropped - dropped} more were too many to show`);
      dropped = status.dropped;
    }
  }
}
