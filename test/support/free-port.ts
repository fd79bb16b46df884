import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Never an ephemeral port (32768 and up on Linux, macOS and Windows): another test's server could be given that one before
// a program that starts slowly listens on it. Nor one of another worker or one given before, for the same reason.
const workers = 20;
const portsOfWorker = 1_100;
const lowest = 10_000 + (Number(process.env['VITEST_POOL_ID'] ?? 0) % workers) * portsOfWorker;
let next = randomInt(portsOfWorker);

/** A port that is free on all addresses now, and that no other test is given before all others were. */
export function freePort(): Promise<number> {
  const port = lowest + (next++ % portsOfWorker);
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(freePort()) : reject(error),
    );
    server.listen(port, () => server.close(() => resolve(port)));
  });
}
