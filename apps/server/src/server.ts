import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { HttpPort, trustedProxies } from 'rookery/internal/http';
import type { Announcement } from 'rookery/channels';
import { RedisNotUsable } from 'rookery/redis';
import {
  Database,
  DatabaseUnavailable,
  TypeOrmAnnouncementRepository,
  TypeOrmBroker,
  TypeOrmSessionRepository,
  TypeOrmStorageModule,
} from 'rookery/typeorm';
import type { Server } from 'node:https';
import { AppModule } from './app.module.js';
import { type Certificate, followCertificate, readCertificate } from './certificate.js';
import { refuseClient } from './client-error.js';
import type { ServerConfig } from './config/config.js';
import { queueLength } from './queue-length.js';
import { refuseMalformedPath } from './malformed-path.js';
import { OpenFiles } from './open-files.js';
import { ServerLogger } from './server-logger.js';
import { holdsForWorkers } from './shared-state.js';
import { SoleProcess } from './sole-process.js';
import { isSocketPath, withUnixSocket } from './unix-socket.js';
import type { RpcLink } from './workers/rpc-link.js';
import type { KeptPorts } from './workers/shared-ports.js';

/** How long a client may take to send a request: Fastify itself sets no limit. */
const requestTimeoutMs = 30_000;

/**
 * Composes the server; it does not listen yet.
 * @param primary the link to the process that started this worker
 * @throws Error that names the faulty setting, in one line
 */
export async function createServer(
  config: ServerConfig,
  logger = new ServerLogger(),
  primary?: RpcLink,
): Promise<NestFastifyApplication> {
  const certificate = config.tls && readCertificate(config.tls);
  const adapter = adapterFor(config, certificate);
  // Given an open socket, Node would set its queue back to 511.
  HttpPort.of(adapter.getHttpServer<Server>()).queue(queueLength);
  withUnixSocket(adapter.getHttpServer<Server>(), isSocketPath(config.host) ? config.host : undefined);
  if (config.tls && certificate) followCertificate(adapter.getHttpServer<Server>(), config.tls, certificate);
  const options = { logger, abortOnError: false };
  const app = await namingSettings(() =>
    NestFactory.create<NestFastifyApplication>(AppModule.forRoot(config, primary), adapter, options),
  );
  app.get(OpenFiles).bound(app.getHttpServer());
  return app;
}

/** The database of workers, as the process that started them uses it. */
export interface PrimaryStorage {
  /** What it keeps for them; undefined where they share a store, or where there are no channels. */
  readonly kept: KeptPorts | undefined;
  close(): Promise<void>;
}

/** Brings the database up to date, for processes that start later. @throws as {@link createServer} */
export async function openStorage(config: ServerConfig, logger: ServerLogger): Promise<PrimaryStorage> {
  const isKept = holdsForWorkers(config);
  const storage = {
    module: PrimaryModule,
    imports: [TypeOrmStorageModule.forRoot({ url: config.databaseUrl, listenUrl: config.databaseListenUrl })],
    providers: isKept ? [SoleProcess, TypeOrmBroker, TypeOrmSessionRepository] : [],
  };
  const context = await namingSettings(() =>
    NestFactory.createApplicationContext(storage, { logger, abortOnError: false }),
  );
  if (!isKept) await context.close();
  const kept = isKept
    ? {
        broker: context.get(TypeOrmBroker),
        sessions: context.get(TypeOrmSessionRepository),
        leftBehind: await announcedIn(context.get(Database)),
      }
    : undefined;
  return { kept, close: async () => (isKept ? context.close() : undefined) };
}

async function announcedIn(database: Database): Promise<readonly Announcement[]> {
  const announcements = new TypeOrmAnnouncementRepository(database);
  try {
    return await announcements.all();
  } finally {
    await announcements.close();
  }
}

/** The database, in the process that starts workers. */
@Module({})
class PrimaryModule {}

async function namingSettings<T>(boot: () => Promise<T>): Promise<T> {
  try {
    return await boot();
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw new Error(error.naming('DATABASE_URL'), { cause: error });
    if (error instanceof RedisNotUsable) throw new Error(`REDIS_URL: ${error.reason}`, { cause: error });
    throw error;
  }
}

function adapterFor(
  { trustedProxies: list, keepAliveSeconds }: ServerConfig,
  certificate?: Certificate,
): FastifyAdapter {
  return new FastifyAdapter({
    ...(certificate && { https: certificate }),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveSeconds * 1000,
    // Requests that arrive during the shutdown are served; only their connections are not kept alive.
    return503OnClosing: false,
    frameworkErrors: refuseMalformedPath,
    clientErrorHandler: refuseClient,
    // The same reading of the list as for connections: Fastify's own knows no ports.
    trustProxy: list === undefined ? false : trustedProxies(list),
  });
}
