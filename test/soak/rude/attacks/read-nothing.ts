import { clientFrame } from '../../../support/raw-client.js';
import type { Attack } from '../attack.js';
import { hostileApp } from '../hostile-app.js';
import { subscribeFrame } from '../rude-socket.js';

const readers = 10;
const pongsPerSecond = 1;
const eventsPerSecond = 30;
const data = 'x'.repeat(10_000);

/** A tenant sends much to clients of its own, which read none of it and send pongs. */
export const readNothing: Attack = {
  meets: ['readProofMs'],
  ms: 6000,
  run(rude) {
    const read = (): Promise<void> =>
      rude.always(
        async (socket) => {
          socket.write(subscribeFrame('unread'));
          await socket.hears(/subscription_succeeded/);
          socket.pause();
          await rude.paced(pongsPerSecond, () => socket.write(clientFrame(10, '')), socket);
        },
        { app: hostileApp },
      );
    const trigger = () => rude.asTenant('POST', '/events', { name: 'unread', channel: 'unread', data });
    return Promise.all([...Array.from({ length: readers }, read), rude.paced(eventsPerSecond, trigger)]);
  },
};
