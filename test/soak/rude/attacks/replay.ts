import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack.js';
import type { Rude } from '../rude.js';
import { subscribeFrame } from '../rude-socket.js';

const sessionsPerSecond = 2;
/** How long a session is open before: some 10 events come, of 10 kB. */
const sessionMs = 2000;
/** One more than the server replays the same events. */
const replaysOfSession = 6;
const betweenMs = 80;

/** Clients continue a session again and again, without an answer to the pings after the earlier events. */
export const replay: Attack = {
  meets: [],
  ms: 5000,
  run(rude) {
    let sessions = 0;
    return rude.paced(sessionsPerSecond, () =>
      replaySession(rude, `rude-session-${rude.turn}-${sessions++}-0123456789`),
    );
  },
};

async function replaySession(rude: Rude, session: string): Promise<void> {
  for (let n = 0; n <= replaysOfSession; n++) {
    const socket = await rude.connect({ session });
    socket?.write(subscribeFrame('history-news'));
    await socket?.hears(/subscription_succeeded/);
    await sleep(n === 0 ? sessionMs : betweenMs);
    socket?.end();
  }
}
