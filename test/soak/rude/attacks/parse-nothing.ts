import { clientFrame } from '../../../support/raw-client.js';
import { testApp } from '../../../support/test-app.js';
import type { Attack } from '../attack.js';
import type { Rude } from '../rude.js';

/** Empty messages in a body, in a larger one, and in a write to a WebSocket, and how many of these come in a second. */
const messages = { body: 1000, hugeBody: 20_000, write: 10_800 };
const perSecond = { bodies: 2, hugeBodies: 0.5, writes: 1 };

/** Thousands of messages without content, over HTTP and WebSockets. */
export const parseNothing: Attack = {
  meets: ['400', 'refusalsPerSecond'],
  run(rude) {
    const frames = Buffer.concat(Array<Buffer>(messages.write).fill(clientFrame(1, '')));
    return Promise.all([
      rude.always((socket) => rude.paced(perSecond.writes, () => socket.write(frames), socket)),
      rude.paced(perSecond.bodies, () => post(rude, messages.body)),
      rude.paced(perSecond.hugeBodies, () => post(rude, messages.hugeBody)),
    ]);
  },
};

async function post(rude: Rude, count: number): Promise<void> {
  const id = rude.random.below(1e8).toString().padStart(8, '0');
  const connection = `/pusher/app/${testApp.key}/1/${id}`;
  await rude.ask(`${connection}/xhr`);
  await rude.ask(`${connection}/xhr_send`, { body: JSON.stringify(Array<string>(count).fill('')) });
}
