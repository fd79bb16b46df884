import { Logger } from '@nestjs/common';

/** How long a shutdown may take besides the time in which clients move to other processes, in seconds. */
const limitSeconds = 25;

/**
 * Ends the process if its shutdown takes longer than process supervisors allow (docs/operating.md): each wait of a
 * shutdown has its own limit, and this one holds if a library waits forever, such as for a database that hangs. What is
 * in progress is left to the leases, as after a crash.
 */
export function limitShutdown(endings: readonly NodeJS.Signals[], drainSeconds: number): void {
  const seconds = drainSeconds + limitSeconds;
  const end = (): void => {
    new Logger('Shutdown').error(
      `The shutdown took longer than ${seconds} s: work in progress is left to other processes`,
    );
    process.exit(1);
  };
  for (const signal of endings) process.once(signal, () => setTimeout(end, seconds * 1000).unref());
}
