import cluster from 'node:cluster';
import { Logger } from '@nestjs/common';
import type { ServerConfig } from '../config/config.js';
import { migrateDatabase } from '../server.js';
import type { ServerLogger } from '../server-logger.js';
import { Workers } from './workers.js';

const endings: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

/**
 * Runs the server as several processes on one port, until it is told to stop.
 * @returns where they listen
 * @throws Error naming the setting that is at fault, in one line
 */
export async function serveByWorkers(config: ServerConfig, logger: ServerLogger): Promise<string> {
  if (cluster.isWorker)
    throw new Error(
      'WORKERS: this process is a worker already, of a program that starts several; let it start them all',
    );
  Logger.overrideLogger(logger);
  // Once, and before anybody needs the tables.
  await migrateDatabase(config, logger);
  const workers = new Workers({
    count: config.workers,
    isRelay: config.redis === undefined && config.role !== 'worker',
  });
  for (const signal of endings)
    process.once(signal, () => void workers.stop(signal).then((exitCode) => process.exit(exitCode)));
  return workers.start();
}
