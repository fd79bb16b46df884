import type { Attack } from '../attack.js';
import { hostileApp } from '../hostile-app.js';
import { subscribeFrame, unsubscribeFrame } from '../rude-socket.js';

const channelsPerSecond = 40;

/** A tenant's channels come and go, and its endpoint answers their webhooks with garbage. */
export const answerGarbage: Attack = {
  meets: ['webhooks'],
  run(rude) {
    let names = 0;
    const enterAndLeave = (): Buffer => {
      const name = `reported-${rude.turn}-${names++}`;
      return Buffer.concat([subscribeFrame(name), unsubscribeFrame(name)]);
    };
    return rude.always((socket) => rude.paced(channelsPerSecond, () => socket.write(enterAndLeave()), socket), {
      app: hostileApp,
    });
  },
};
