import type { Attack } from '../attack.js';
import { subscribeFrame } from '../rude-socket.js';

const connectionsPerSecond = 10;
const subscriptions = 100;

/** Many connections of one address, each on as many channels as one may be. */
export const subscribeWidely: Attack = {
  meets: ['subscriptionsPerAddress'],
  run(rude) {
    const all = Buffer.concat(
      Array.from({ length: subscriptions }, (_, n) => subscribeFrame(`wide-${rude.turn}-${n}`)),
    );
    return rude.paced(connectionsPerSecond, async () => (await rude.connect())?.write(all));
  },
};
