import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Connection } from '../../connections/connection.js';
import { HandledEvents } from '../../events/handled-events.js';
import { receiptKind } from './receipt-text.js';
import { isReceiptOf } from './receipt-names.js';
import { ReceiptsService } from './receipts.service.js';

/** How soon a client is pinged, in milliseconds, unless it is for another reason. */
const pingMs = 100;

/**
 * Asks clients whether they have handled events: one ping at intervals, for all that was sent since the last. The answer
 * to any ping counts, as for sessions: what a session acknowledges is not replayed.
 */
@Injectable()
export class ReceiptPings implements OnModuleInit {
  private readonly asked = new Set<Connection>();
  private isScheduled = false;

  constructor(
    private readonly events: HandledEvents,
    private readonly receipts: ReceiptsService,
  ) {}

  onModuleInit(): void {
    this.events.whenSent(receiptKind, ({ channel }, receipt) => {
      // An event of a transaction may contain a receipt that a user made up.
      let isReal: boolean | undefined;
      return (connection) => {
        isReal ??= isReceiptOf(connection.app, channel, receipt, Date.now());
        if (isReal) this.add(connection, channel, receipt);
      };
    });
  }

  /** The connection was sent an event. */
  add(connection: Connection, channel: string, receipt: string): void {
    const member = connection.subscriptions?.get(channel)?.member;
    connection.awaitAcknowledgement(() => {
      const userId = member?.userId ?? connection.user?.id;
      if (userId !== undefined) this.receipts.note(connection.app, { channel, receipt, userId, isShown: false });
    });
    this.asked.add(connection);
    if (this.isScheduled) return;
    this.isScheduled = true;
    setTimeout(() => this.ping(), pingMs).unref();
  }

  private ping(): void {
    this.isScheduled = false;
    for (const connection of this.asked) if (!connection.isClosed) connection.pingForAnswers();
    this.asked.clear();
  }
}
