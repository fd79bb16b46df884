import 'reflect-metadata';
import { readConfig, type ServerConfig } from './config/config.js';
import { firstWords } from './first-words.js';
import { createServer } from './server.js';
import { ServerLogger } from './server-logger.js';
import { welcome } from './welcome.js';
import type { Link } from './workers/link.js';
import { primaryOf } from './workers/primary.js';
import { serveByWorkers } from './workers/serve-by-workers.js';

/** Runs the server, or one of its workers, until it is told to stop. One that cannot start ends the process with 1. */
export async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  const primary = primaryOf(environment);
  try {
    const config = readConfig(environment);
    const logger = new ServerLogger();
    if (primary)
      await logger.quietUnlessFirst(async () => primary.worker.listens(await listen(config, logger, primary.link)));
    else {
      const url = await (config.workers > 1 ? serveByWorkers : listen)(config, logger);
      logger.announce(firstWords(url, config), config.isDevelopment ? welcome(url, config) : []);
    }
  } catch (error) {
    const text = (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, ' ');
    if (primary) await primary.worker.fails(text);
    else process.stderr.write(`rookery: ${text}\n`);
    // What has started already would keep the process alive, and nobody the wiser.
    process.exit(1);
  }
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
