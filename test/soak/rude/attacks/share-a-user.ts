import type { Attack } from '../attack.js';
import { clientEventFrame, memberFrame } from '../rude-socket.js';

const connections = 30;
const eventsPerSecond = 5;
const event = clientEventFrame('presence-stage', 'x'.repeat(9000));

/** A user talks on many connections at once, to all of them and to others. */
export const shareAUser: Attack = {
  meets: ['clientEventBytesPerUser'],
  run: (rude) =>
    Promise.all(
      Array.from({ length: connections }, () =>
        rude.always(async (socket) => {
          socket.write(memberFrame('presence-stage', socket.socketId, 'mallory'));
          await socket.hears(/subscription_succeeded/);
          await rude.paced(eventsPerSecond, () => socket.write(event), socket);
        }),
      ),
    ),
};
