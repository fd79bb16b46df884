import { clientFrame } from '../../../support/raw-client.js';
import type { Attack } from '../attack.js';

const messagesPerSecond = 10;
const begun = 120_000;
const bytesPerSecond = 2;

/** Clients send the end of a message byte by byte. */
export const beginMessages: Attack = {
  meets: ['messageMs'],
  ms: 5000,
  run: (rude) =>
    rude.paced(messagesPerSecond, async () => {
      const socket = await rude.connect();
      const message = clientFrame(1, 'x'.repeat(begun + 10_000));
      let at = begun;
      socket?.write(message.subarray(0, at));
      if (socket) await rude.paced(bytesPerSecond, () => socket.write(message.subarray(at, (at += 1))), socket);
    }),
};
