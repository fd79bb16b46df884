import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack.js';
import { subscribeFrame } from '../rude-socket.js';

const perSecond = 40;
const channels = 30;
const stayMs = 500;

/** Each connection spends its fresh budget, and makes room for the next. */
export const connectAfresh: Attack = {
  meets: ['newConnectionsPerAddress'],
  run(rude) {
    let names = 0;
    return rude.paced(perSecond, async () => {
      const socket = await rude.connect();
      const fresh = Array.from({ length: channels }, () => subscribeFrame(`fresh-${rude.turn}-${names++}`));
      socket?.write(Buffer.concat(fresh));
      await sleep(stayMs);
      socket?.end();
    });
  },
};
