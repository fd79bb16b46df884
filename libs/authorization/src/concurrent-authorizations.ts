import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type Connection, onceClosed } from 'rookery/internal/channels';
import { ConcurrencyLimiter, QuietLog, settledIn } from '#common';
import { AuthorizationSettings } from './authorization.options.js';
import { tooBusy, tooSlow } from './refused.js';

/** Limits the concurrent authorizations, which apps share, and the time of each. */
@Injectable()
export class ConcurrentAuthorizations implements OnApplicationShutdown {
  private readonly faults: QuietLog;
  private readonly slots: ConcurrencyLimiter;

  constructor(private readonly settings: AuthorizationSettings) {
    this.slots = new ConcurrencyLimiter(settings.concurrency);
    const logger = new Logger('Authorization');
    this.faults = new QuietLog((line) => logger.error(line));
  }

  onApplicationShutdown(): void {
    this.faults.end();
  }

  /**
   * Runs work that takes several slots; a request that needs more than all of an app's takes all.
   * @throws Refused 503 if they are not free, or the work takes too long
   */
  async run<T>(appId: string, count: number, work: () => Promise<T>): Promise<T> {
    const slots = this.slots.of(appId);
    const taken = Math.min(count, this.settings.concurrency);
    if (!slots.takeNow(taken)) throw tooBusy();
    try {
      return await this.inTime(appId, work);
    } finally {
      slots.give(taken);
    }
  }

  /**
   * Runs work when a slot is free: a connection waits anyway, and has one request at a time.
   * @throws Refused 503 if it closes before, or the work takes too long
   */
  runInTurn<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
    const { app, network, socketId } = connection;
    return this.slots.of(app.id).run(() => this.inTime(app.id, work), {
      client: network?.name ?? socketId,
      waits: (giveUp) => onceClosed(connection, () => giveUp(tooBusy())),
    });
  }

  /** Work that is late goes on without its slot: the host's promise cannot be ended. */
  private async inTime<T>(appId: string, work: () => Promise<T>): Promise<T> {
    const { timeoutMs } = this.settings;
    const answer = work();
    if (await settledIn(answer, timeoutMs)) return answer;
    this.faults.add(`An authorization of app ${appId} took longer than ${timeoutMs} ms (timeoutMs)`);
    throw tooSlow();
  }
}
