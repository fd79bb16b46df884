// Asks a server how it is, in a process of its own: what delays the clients of a test delays no question.
import { setTimeout as sleep } from 'node:timers/promises';

const everyMs = 50;
const url = process.argv[2]!;
let slowestMs = 0;

async function ask(): Promise<void> {
  const askedAt = performance.now();
  const { status } = await fetch(url, { headers: { connection: 'close' } });
  slowestMs = Math.max(slowestMs, status === 200 ? performance.now() - askedAt : Number.MAX_VALUE);
}

process.on('message', () => {
  process.send!(slowestMs);
  slowestMs = 0;
});
process.once('disconnect', () => process.exit());
for (;;) {
  // JSON has no Infinity.
  await ask().catch(() => (slowestMs = Number.MAX_VALUE));
  await sleep(everyMs);
}
