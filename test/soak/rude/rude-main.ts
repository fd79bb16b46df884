// The attacks of test/soak/rude-clients.spec.ts, in a process of their own.
import { allAttacks } from './attacks/index.js';
import { startGarbageEndpoint } from './garbage-endpoint.js';
import { Rude } from './rude.js';
import type { FromRude, ToRude } from './rude-process.js';

const send = (message: FromRude): void => void process.send!(message);

let rude: Rude | undefined;
process.on('message', ({ begin, end }: ToRude) => {
  if (begin) {
    rude = new Rude(begin.port, `1.0.0.${begin.turn}`, begin.turn);
    // What breaks off at the end of the turn may reject.
    allAttacks[begin.attack]!.run(rude).catch((error: unknown) => rude?.isOver || console.error(begin.attack, error));
  }
  if (!end || !rude) return;
  rude.end();
  send({ figures: rude.figures });
});
process.once('disconnect', () => process.exit());
send({ endpointPort: await startGarbageEndpoint(() => rude?.count('webhooks')) });
