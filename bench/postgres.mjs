import './support/typescript.mjs';
import { pinTo, treeOf, usageOf } from './machine.mjs';

/** A PostgreSQL that writes to its disk, on the servers' core. */
export async function startPostgres() {
  const { startPostgres: start } = await import('../test/support/postgres-server.ts');
  const { url, pid, stop } = await start('fsync=on', 'max_connections=300');
  pinTo(pid, 'server');
  return {
    url,
    cpuSeconds: () => treeOf(pid).reduce((sum, each) => sum + (usageOf(each)?.cpuSeconds ?? 0), 0),
    stop,
  };
}
