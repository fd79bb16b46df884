// The rude clients of test/soak/rude-clients.spec.ts, in a process of their own.
import { RudeClients } from './rude-clients.js';
import type { Order } from './rude-process.js';

const clients = new RudeClients(Number(process.argv[2]));
process.on('message', (order: Order) => {
  if (order === 'figures') process.send!(clients.figures);
  else clients.isPaused = order === 'pause';
});
process.once('disconnect', () => process.exit());
await clients.run();
