import type { Attack } from '../attack.js';
import { subscribeFrame, unsubscribeFrame } from '../rude-socket.js';

const namesPerSecond = 100;

/** A client enters and leaves new names of 200 characters. */
export const scanNames: Attack = {
  meets: ['newChannelsPerMinute'],
  run(rude) {
    let names = 0;
    return rude.always((socket) => {
      const enterAndLeave = (): void => {
        const name = `${rude.turn}-${names++}`.padStart(200, 'scan-');
        socket.write(Buffer.concat([subscribeFrame(name), unsubscribeFrame(name)]));
      };
      return rude.paced(namesPerSecond, enterAndLeave, socket);
    });
  },
};
