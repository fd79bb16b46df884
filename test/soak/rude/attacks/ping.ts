import { clientFrame } from '../../../support/raw-client.js';
import type { Attack } from '../attack.js';

const clients = 4;
const pingsOfWrite = 1000;
const writesPerSecond = 4;

/** Clients ping without end, and read no pong. */
export const ping: Attack = {
  meets: ['heartbeatsPerSecond'],
  run(rude) {
    const pings = Buffer.concat(Array<Buffer>(pingsOfWrite).fill(clientFrame(9, 'x'.repeat(125))));
    const pingOn = (): Promise<void> =>
      rude.always((socket) => {
        socket.pause();
        return rude.paced(writesPerSecond, () => socket.write(pings), socket);
      });
    return Promise.all(Array.from({ length: clients }, pingOn));
  },
};
