import type { Attack } from '../attack.js';
import { subscribeFrame } from '../rude-socket.js';

const connectionsPerSecond = 200;
const statesOfConnection = 3;

/** Many connections of one address ask for states that no one else has asked for. */
export const readStates: Attack = {
  meets: ['connectionsPerAddress'],
  run(rude) {
    let names = 0;
    const some = (): Buffer =>
      Buffer.concat(
        Array.from({ length: statesOfConnection }, () => subscribeFrame(`state.rude-${rude.turn}-${names++}`)),
      );
    return rude.paced(connectionsPerSecond, async () => (await rude.connect())?.write(some()));
  },
};
