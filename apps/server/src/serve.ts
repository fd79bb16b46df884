import 'reflect-metadata';
import { ShutdownSignal } from '@nestjs/common';
import { ChannelsSettings } from 'rookery/channels';
import type { NestFastifyApplication, NestFastifyListenOptions } from '@nestjs/platform-fastify';
import { ThisNode } from 'rookery/internal/common';
import { readConfig, type ServerConfig } from './config/config.js';
import { firstWords } from './first-words.js';
import type { EarlyPort } from './early-port.js';
import { ConfiguredSettings } from './reload/configured-settings.js';
import { Reload } from './reload/reload.js';
import { createServer } from './server.js';
import { ServerLogger } from './server-logger.js';
import { limitShutdown } from './shutdown-limit.js';
import { isSocketPath, isUnixUrl, removeStaleSocket, unixUrl } from './unix-socket.js';
import { visible } from './visible-text.js';
import { welcome } from './welcome.js';
import { primaryServices } from './workers/link-services.js';
import { primaryOf } from './workers/primary.js';
import type { RpcLink } from './workers/rpc-link.js';
import { serveByWorkers } from './workers/serve-by-workers.js';

/**
 * Runs the server, or one of its workers, until it is stopped. If it cannot start, the process exits with 1.
 * @param port the port, if it is open already
 */
export async function serve(environment: NodeJS.ProcessEnv, port?: EarlyPort): Promise<void> {
  const primary = primaryOf(environment);
  try {
    const config = readConfig(environment);
    const logger = new ServerLogger(config.logLevel);
    const endings = endingsOf(environment);
    limitShutdown(endings, config.channels.drainSeconds ?? new ChannelsSettings().drainSeconds);
    if (primary) {
      // The process that started this one reads the file for all of them.
      if (!endings.includes(ShutdownSignal.SIGHUP)) process.on('SIGHUP', () => {});
      await logger.starting(async () => {
        const server = await listen(config, logger, endings, primary);
        await primary.call(primaryServices.worker, 'listens', await urlOf(server));
      });
    } else {
      const reload = new Reload(environment, config);
      const { url, alive } = await logger.starting(async () =>
        config.workers > 1
          ? { url: await serveByWorkers(config, logger, endings, reload), alive: undefined }
          : serveAlone(config, logger, endings, reload, port),
      );
      const isTried = config.isDevelopment && !isUnixUrl(url);
      logger.announce(firstWords(url, config, alive), isTried ? welcome(url, config) : []);
    }
  } catch (error) {
    const text = (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, ' ');
    if (primary) await primary.call(primaryServices.worker, 'fails', text);
    else process.stderr.write(`rookery: ${visible(text)}\n`);
    // Otherwise the parts already started would silently keep the process alive.
    process.exit(1);
  }
}

/** The signals that end the server. With a configuration file, SIGHUP reloads it instead. */
const endingsOf = ({ CONFIG_FILE: file }: NodeJS.ProcessEnv): readonly ShutdownSignal[] =>
  Object.values(ShutdownSignal).filter((signal) => signal !== ShutdownSignal.SIGHUP || !file);

/** @returns the URL at which it listens, and how many processes of its cluster are alive; it has none without clients */
async function serveAlone(
  config: ServerConfig,
  logger: ServerLogger,
  endings: readonly ShutdownSignal[],
  reload: Reload,
  port?: EarlyPort,
): Promise<{ readonly url: string; readonly alive: number | undefined }> {
  const server = await listen(config, logger, endings, undefined, port?.options(config.host));
  port?.passTo(server.getHttpServer());
  reload.serves((now) => server.get(ConfiguredSettings).replace(now));
  const alive = config.role === 'worker' ? undefined : server.get(ThisNode, { strict: false }).others + 1;
  return { url: await urlOf(server), alive };
}

async function urlOf(server: NestFastifyApplication): Promise<string> {
  const address = server.getHttpServer().address();
  return typeof address === 'string' ? unixUrl(address) : server.getUrl();
}

async function listen(
  config: ServerConfig,
  logger: ServerLogger,
  endings: readonly ShutdownSignal[],
  link?: RpcLink,
  where: NestFastifyListenOptions = placeOf(config),
): Promise<NestFastifyApplication> {
  const server = await createServer(config, logger, link);
  // An orderly stop ends with exit code 0, not with death by the signal.
  server.enableShutdownHooks([...endings], { useProcessExit: true });
  await server.init();
  if (!link && 'path' in where && where.path) await removeStaleSocket(where.path);
  await server.listen(where).catch((error: Error) => {
    const setting = config.socket === undefined ? 'HOST, PORT' : 'LISTEN_FDS';
    throw new Error(`${setting}: ${error.message}`, { cause: error });
  });
  return server;
}

/** Without a host, Fastify would also listen on localhost. */
function placeOf({ host, port, socket: fd }: ServerConfig): NestFastifyListenOptions {
  if (fd !== undefined) return { fd, host: '127.0.0.1' };
  return isSocketPath(host) ? { path: host } : { host, port };
}
