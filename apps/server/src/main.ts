import 'reflect-metadata';
import { readConfig, type ServerConfig } from './config/config.js';
import { firstWords } from './first-words.js';
import { createServer } from './server.js';
import { ServerLogger } from './server-logger.js';
import type { Link } from './workers/link.js';
import { primaryOf } from './workers/primary.js';
import { serveByWorkers } from './workers/serve-by-workers.js';

const primary = primaryOf(process.env);

/** Runs the server, or one of its workers, until it is told to stop. */
async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const logger = new ServerLogger();
  if (primary)
    await logger.quietUnlessFirst(async () => primary.worker.listens(await listen(config, logger, primary.link)));
  else logger.announce(firstWords(await (config.workers > 1 ? serveByWorkers : listen)(config, logger), config));
}

/** @returns where it listens */
async function listen(config: ServerConfig, logger: ServerLogger, link?: Link): Promise<string> {
  const server = await createServer(config, logger, link);
  // Whoever stops the server in good order learns that it went well: exit code 0, not death by the signal.
  server.enableShutdownHooks([], { useProcessExit: true });
  await server.init();
  await server.listen(config.port, config.host).catch((error: Error) => {
    throw new Error(`HOST, PORT: ${error.message}`, { cause: error });
  });
  return server.getUrl();
}

serve().catch(async (error: unknown) => {
  const text = (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, ' ');
  if (primary) await primary.worker.fails(text);
  else process.stderr.write(`rookery: ${text}\n`);
  // What has started already would keep the process alive, and nobody the wiser.
  process.exit(1);
});
