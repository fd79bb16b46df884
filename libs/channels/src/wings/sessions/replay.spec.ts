import { expect, it } from 'vitest';
import type { Broker, HistoryPage } from '../../broker/broker.js';
import type { Connection } from '../../connections/connection.js';
import { Replay } from './replay.js';
import type { SessionPings } from './session-pings.js';

const events = 3000;
const clients = 10;

/** Answers at once, as an embedded database does. */
class SynchronousBroker {
  pagesOfTurn = 0;
  maxPages = 0;

  history(_appId: string, _channel: string, limit: number, after: string): HistoryPage {
    this.maxPages = Math.max(this.maxPages, ++this.pagesOfTurn);
    const from = Number(after);
    const length = Math.min(limit, events - from);
    const page = Array.from({ length }, (_, n) => ({ position: String(from + n + 1), text: '{}' }));
    return { events: page, isComplete: true, now: String(events) };
  }
}

it('lets others proceed between the pages, however many clients return at once', async () => {
  const broker = new SynchronousBroker();
  const pings = { add: () => {} } as unknown as SessionPings;
  const replay = new Replay(broker as unknown as Broker, pings);
  let sent = 0;
  const connection = { app: { id: 'app' }, isClosed: false } as unknown as Connection;
  const replayAll = async () => {
    const texts = replay.missedTexts(connection, 'orders', { since: '0', hasGap: false }, () => false);
    for (;;) {
      const next = await texts.next();
      if (next.done) return next.value;
      sent++;
    }
  };
  let isOver = false;
  const turn = () => {
    broker.pagesOfTurn = 0;
    if (!isOver) setImmediate(turn);
  };
  turn();
  const replayed = await Promise.all(Array.from({ length: clients }, replayAll));
  isOver = true;
  expect(sent).toBe(events * clients);
  expect(replayed).toEqual(replayed.map(() => ({ to: String(events), last: String(events) })));
  // Two of the test's turns may see one of the replays'.
  expect(broker.maxPages).toBeLessThanOrEqual(8);
});
