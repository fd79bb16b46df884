import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A port that is free on all addresses now. It is never an ephemeral port (32768 and up on Linux, macOS and Windows):
 * another test's server could be given that one before a program that starts slowly listens on it.
 */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const port = randomInt(10_000, 32_000);
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(freePort()) : reject(error),
    );
    server.listen(port, () => server.close(() => resolve(port)));
  });
}
