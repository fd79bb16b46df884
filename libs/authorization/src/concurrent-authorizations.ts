import { Injectable } from '@nestjs/common';
import { type Connection, onceClosed } from 'rookery/internal/channels';
import { ConcurrencyLimiter } from '#common';
import { AuthorizationSettings } from './authorization.options.js';
import { tooBusy } from './refused.js';

/** Limits the concurrent authorizations, which apps share. */
@Injectable()
export class ConcurrentAuthorizations {
  private readonly slots: ConcurrencyLimiter;

  constructor(private readonly settings: AuthorizationSettings) {
    this.slots = new ConcurrencyLimiter(settings.concurrency);
  }

  /**
   * Runs work that takes several slots; a request that needs more than all of an app's takes all.
   * @throws Refused 503 if they are not free
   */
  async run<T>(appId: string, count: number, work: () => Promise<T>): Promise<T> {
    const slots = this.slots.of(appId);
    const taken = Math.min(count, this.settings.concurrency);
    if (!slots.takeNow(taken)) throw tooBusy();
    try {
      return await work();
    } finally {
      slots.give(taken);
    }
  }

  /**
   * Runs work when a slot is free: a connection waits anyway, and has one request at a time.
   * @throws Refused 503 if it closes before
   */
  runInTurn<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
    const { app, network, socketId } = connection;
    return this.slots.of(app.id).run(work, {
      client: network?.name ?? socketId,
      waits: (giveUp) => onceClosed(connection, () => giveUp(tooBusy())),
    });
  }
}
