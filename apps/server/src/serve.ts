import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { readConfig } from './config/config.js';
import { createServer } from './server.js';

/** Runs the server until it is told to stop. */
export async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const logger = new Logger('Server');
  const server = await createServer(config);
  // Whoever stops the server in good order learns that it went well: exit code 0, not death by the signal.
  server.enableShutdownHooks([], { useProcessExit: true });
  await server.listen(config.port, config.host);
  if (config.isDevelopment)
    logger.warn('No app is configured: serving the development app app-id / app-key / app-secret');
  logger.log(`Listening on ${await server.getUrl()}`);
}
