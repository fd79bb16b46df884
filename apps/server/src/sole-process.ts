import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { FileClaim, fileOf } from 'rookery/internal/typeorm';
import { Database } from 'rookery/typeorm';

/** How long a process waits for the one that it replaces, in milliseconds: a shutdown drains for ten seconds. */
const patienceMs = 15_000;
const lookEveryMs = 100;

/**
 * On SQLite, clients are served by one process, or by the workers of one: what others trigger does not reach them. In
 * production a second process on the same file does not start; elsewhere it warns.
 */
@Injectable()
export class SoleProcess implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Nodes');
  private claim: FileClaim | undefined;

  constructor(private readonly database: Database) {}

  /** @throws Error in production if another process serves clients on the file, and does not end in time */
  async onModuleInit(): Promise<void> {
    const file = await fileOf(this.database);
    if (file === undefined) return;
    this.claim = await FileClaim.of(file);
    if (this.claim) return;
    if (process.env['NODE_ENV'] !== 'production')
      return this.logger.warn(`${refusal(file)}. With NODE_ENV=production, it does not start`);
    const until = performance.now() + patienceMs;
    this.logger.log(`Waiting for the process that serves clients on ${file} to end`);
    while (!this.claim) {
      if (performance.now() > until) throw new Error(`DATABASE_URL: ${refusal(file)}`);
      await sleep(lookEveryMs);
      this.claim = await FileClaim.of(file);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.claim?.release();
  }
}

const refusal = (file: string): string =>
  `another process serves clients on ${file}, and an event reaches only the clients of the process that triggers it. ` +
  'Start several processes of one machine with WORKERS, or give all the same DATABASE_URL=postgres://… or REDIS_URL; ' +
  'to replace a process on SQLite, stop it first';
