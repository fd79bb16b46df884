import cluster from 'node:cluster';
import { Logger } from '@nestjs/common';
import type { ServerConfig } from '../config/config.js';
import { openStorage } from '../server.js';
import type { ServerLogger } from '../server-logger.js';
import type { Reload } from '../reload/reload.js';
import { OpenFiles } from '../open-files.js';
import { isSocketPath, removeStaleSocket } from '../unix-socket.js';
import { SharedPorts } from './shared-ports.js';
import { Workers } from './workers.js';

/** The signals that end a process in good order and are passed on to workers. */
const passedOn: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

/**
 * Runs the server as several processes on one port, until it is stopped.
 * @returns the URL at which they listen
 * @throws Error that names the faulty setting, in one line
 */
export async function serveByWorkers(
  config: ServerConfig,
  logger: ServerLogger,
  endings: readonly NodeJS.Signals[],
  reload: Reload,
): Promise<string> {
  if (cluster.isWorker)
    throw new Error(
      'WORKERS: this process is a worker already, of a program that starts several; let it start them all',
    );
  Logger.overrideLogger(logger);
  // Once, before any process needs the tables.
  const storage = await openStorage(config, logger);
  const shared = storage.kept && new SharedPorts(storage.kept);
  // This process accepts the connections of its workers.
  const files = new OpenFiles();
  files.onApplicationBootstrap();
  const { returnMs } = config.channels.webhooks ?? {};
  const workers = new Workers({ count: config.workers, shared, metrics: files.registry, returnMs });
  const stop = async (signal: NodeJS.Signals) => {
    const exitCode = await workers.stop(signal);
    await storage.close();
    process.exit(exitCode);
  };
  for (const signal of passedOn.filter((each) => endings.includes(each))) process.once(signal, () => void stop(signal));
  if (config.socket === undefined && isSocketPath(config.host)) await removeStaleSocket(config.host);
  const url = await workers.start();
  reload.serves((now) => workers.configure(now));
  return url;
}
