import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { readConfig } from './config/config.js';
import { createServer } from './server.js';

/** Runs the server until it is told to stop. */
async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const logger = new Logger('Server');
  const server = await createServer(config);
  // Whoever stops the server in good order learns that it went well: exit code 0, not death by the signal.
  server.enableShutdownHooks([], { useProcessExit: true });
  await server.listen(config.port, config.host).catch((error: Error) => {
    throw new Error(`HOST, PORT: ${error.message}`, { cause: error });
  });
  if (config.isDevelopment)
    logger.warn('No app is configured: serving the development app app-id / app-key / app-secret');
  logger.log(`Listening on ${await server.getUrl()}`);
}

serve().catch((error: unknown) => {
  process.stderr.write(`rookery: ${error instanceof Error ? error.message : String(error)}\n`);
  // What has started already would keep the process alive, and nobody the wiser.
  process.exit(1);
});
