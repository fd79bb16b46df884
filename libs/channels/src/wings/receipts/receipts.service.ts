import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { Apps } from '../../access/apps.js';
import type { App, AppOrId } from '../../app/app.js';
import { limitsOf } from '../../app/app-limits.js';
import { ChannelsSettings } from '../../channels.options.js';
import type { Connection } from '../../connections/connection.js';
import { countClientEvent } from '../../events/client-events.js';
import { pageLimitIn } from '../../events/history.service.js';
import { KeptBytes } from '../../events/kept-bytes.js';
import { ProtocolError } from '../../protocol/protocol-error.js';
import { type NewReceipt, ReceiptRepository } from './receipt.repository.js';
import { WebhooksService } from '../../webhooks/webhooks.service.js';
import { isReceiptOf, triggeredAt } from './receipt-names.js';
import { receiptsNotFound } from './receipts.errors.js';

declare module '../../events/channels.service.js' {
  interface ChannelAttributes {
    /** By which to ask who has received an event that was triggered. */
    readonly receipts?: string;
  }
}

declare module '../../events/kept-bytes.js' {
  interface KeptKinds {
    readonly keptReceipts: true;
  }
}

/** One user of an event, as the API returns it. Times as in RFC 3339 §5.6. */
export interface ReceiptOfUser {
  readonly user_id: string;
  /** When a client of the user had received the event. */
  readonly received_at: string;
  /** When a page of the user had shown it, as that page reported. */
  readonly shown_at?: string;
}

/** A page of an event's receipts, ordered by user id. */
export interface EventReceipts {
  readonly receipts: readonly ReceiptOfUser[];
}

/** A client's report that it has shown events. */
export interface SeenMessage {
  readonly channel: string;
  readonly receipts: readonly string[];
}

type Noted = Pick<NewReceipt, 'receipt' | 'userId' | 'isShown'> & { readonly channel: string };
type Waiting = Noted & { readonly app: App; readonly at: number };

/** How long receipts are collected before they are stored, in milliseconds; after a failure, until the next try. */
const [collectMs, againMs] = [50, 1000];
const maxAtOnce = 1000;
/** What a user's receipt of an event takes in Redis, with its share of the event's key. */
const receiptBytes = 330;
/** Receipts that wait for the repository; beyond that, the oldest are dropped. */
const maxWaiting = 100_000;
const shutdownMs = 2000;

/** Which users have received the events of servers that want to know it (docs/receipts.md). */
@Injectable()
export class ReceiptsService implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Channels');
  private waiting: Waiting[] = [];
  private storing: Promise<void> | undefined;

  constructor(
    private readonly apps: Apps,
    private readonly repository: ReceiptRepository,
    private readonly webhooks: WebhooksService,
    private readonly settings: ChannelsSettings,
    private readonly kept: KeptBytes,
  ) {
    kept.limit('keptReceipts', settings.receipts.keepSeconds);
  }

  /**
   * Who has received an event, ordered by user id (api § Receipts).
   * @param receipt of the event, as the trigger answered it
   * @param query `limit`: 1 to 1000, by default 100; `after`: the last user of the page before
   * @throws RookeryError `app_not_found`; ChannelsApiError 404 for what is no receipt, or is no longer kept
   */
  async find(app: AppOrId, receipt: string, query: { limit?: unknown; after?: string } = {}): Promise<EventReceipts> {
    const { id } = await this.apps.named(app);
    const limit = pageLimitIn(query.limit);
    if (keepMsOf(receipt, this.settings) <= 0) throw receiptsNotFound();
    const found = await this.repository.find(id, receipt, limit, query.after);
    return {
      receipts: found.map(({ userId, receivedAt, shownAt }) => ({
        user_id: userId,
        received_at: new Date(receivedAt).toISOString(),
        ...(shownAt !== undefined && { shown_at: new Date(shownAt).toISOString() }),
      })),
    };
  }

  /**
   * A page reports events that it has shown to its user.
   * @throws ProtocolError when nothing is noted
   */
  seen(connection: Connection, { channel, receipts }: SeenMessage): void {
    const { app } = connection;
    const subscription = connection.subscriptions?.get(channel);
    if (!subscription) throw ProtocolError.notSubscribed(channel.slice(0, 200));
    const userId = subscription.member?.userId ?? connection.user?.id;
    if (userId === undefined) throw ProtocolError.malformed('receipts are of users: sign in first');
    countClientEvent(connection, limitsOf(app, this.settings.limits).clientEventsPerSecond);
    if (!receipts.every((receipt) => isReceiptOf(app, channel, receipt, Date.now())))
      throw ProtocolError.malformed('receipts must be those of events on the channel');
    for (const receipt of receipts) this.note(app, { channel, receipt, userId, isShown: true });
  }

  note(app: App, noted: Noted): void {
    this.waiting.push({ ...noted, app, at: Date.now() });
    // Some at once: removing from the front of an array moves the rest.
    if (this.waiting.length > maxWaiting) this.waiting.splice(0, maxAtOnce);
    this.storing ??= this.store();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.race([this.storing, delay(shutdownMs, undefined, { ref: false })]);
  }

  private async store(): Promise<void> {
    await delay(collectMs, undefined, { ref: false });
    for (let isFailing = false; this.waiting.length > 0;) {
      const some = this.waiting.splice(0, maxAtOnce);
      try {
        await this.add(some);
        isFailing = false;
      } catch (error) {
        if (!isFailing) this.logger.warn(`Receipts cannot be stored, and wait: ${String(error)}`);
        isFailing = true;
        this.waiting = [...some, ...this.waiting].slice(-maxWaiting);
        await delay(againMs, undefined, { ref: false });
      }
    }
    // Before anything else runs: what comes from now on begins anew.
    this.storing = undefined;
  }

  private async add(some: readonly Waiting[]): Promise<void> {
    const { settings } = this;
    const kept = some.filter(
      ({ app, receipt }) => keepMsOf(receipt, settings) > 0 && this.kept.hasRoom(app, 'keptReceipts', receiptBytes),
    );
    const receipts = kept.map(({ app, receipt, userId, isShown, at }) => {
      return { appId: app.id, receipt, userId, isShown, at, keepMs: keepMsOf(receipt, settings) };
    });
    if (receipts.length === 0) return;
    const news = await this.repository.add(receipts, settings.receipts.usersPerEvent);
    kept.forEach(({ app, channel, receipt, userId, isShown }, i) => {
      const seen = isShown ? 'shown' : 'received';
      if (news[i]) this.kept.add(app, 'keptReceipts', receiptBytes);
      if (news[i]) this.webhooks.emit(app, { name: 'event_seen', channel, user_id: userId, receipt, seen });
    });
  }
}

/** How long an event's receipts are still kept, in milliseconds; 0 for what is no receipt. */
const keepMsOf = (receipt: string, { receipts }: ChannelsSettings): number => {
  const now = Date.now();
  const at = triggeredAt(receipt, now);
  return at === undefined ? 0 : Math.max(0, at + receipts.keepSeconds * 1000 - now);
};
