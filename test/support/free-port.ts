import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A port that is free now, on all addresses. It lies below the ports that Linux, macOS and Windows give to whoever
 * asks for any (32768 and up): else another test's server takes it before a program that starts slowly has it.
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
