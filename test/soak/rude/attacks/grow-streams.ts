import type { Attack } from '../attack.js';
import { hostileApp } from '../hostile-app.js';
import { subscribeFrame, unsubscribeFrame } from '../rude-socket.js';

const streams = 10;
const piecesPerSecond = 20;
const piece = 'ö'.repeat(4500);
const readers = 4;
const subscribesPerSecond = 60;

/** A tenant lets the texts of many streams grow, and its clients subscribe to them again and again. */
export const growStreams: Attack = {
  meets: ['subscribesPerSecond'],
  run(rude) {
    const channel = `streamed-${rude.turn}`;
    let pieces = 0;
    const append = (): Promise<unknown> => {
      const at = Math.floor(pieces / streams) * piece.length;
      const data = JSON.stringify({ stream: String(pieces++ % streams), at, text: piece });
      return rude.asTenant('POST', '/events', { name: 'answer', channel, data });
    };
    const again = Buffer.concat([unsubscribeFrame(channel), subscribeFrame(channel)]);
    const subscribe = (): Promise<void> =>
      rude.always((socket) => rude.paced(subscribesPerSecond, () => socket.write(again), socket), { app: hostileApp });
    return Promise.all([rude.paced(piecesPerSecond, append), ...Array.from({ length: readers }, subscribe)]);
  },
};
