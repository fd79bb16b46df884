import 'reflect-metadata';
import { readConfig } from './config/config.js';
import { firstWords } from './first-words.js';
import { createServer } from './server.js';
import { ServerLogger } from './server-logger.js';

/** Runs the server until it is told to stop. */
async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const logger = new ServerLogger();
  const server = await createServer(config, logger);
  // Whoever stops the server in good order learns that it went well: exit code 0, not death by the signal.
  server.enableShutdownHooks([], { useProcessExit: true });
  await server.init();
  await server.listen(config.port, config.host).catch((error: Error) => {
    throw new Error(`HOST, PORT: ${error.message}`, { cause: error });
  });
  logger.announce(firstWords(await server.getUrl(), config));
}

serve().catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`rookery: ${text.replace(/\s*\n\s*/g, ' ')}\n`);
  // What has started already would keep the process alive, and nobody the wiser.
  process.exit(1);
});
