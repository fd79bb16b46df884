import { Injectable } from '@nestjs/common';
import { sessions } from '../../connections/session.js';
import { receiptInText } from './receipt-text.js';
import type { JoinedPart, Joining, SubscriptionPart } from '../../subscriptions/subscription-part.js';
import { isReceiptOf } from './receipt-names.js';
import { ReceiptPings } from './receipt-pings.js';

/** Asks for receipts of earlier events too, which a new subscriber gets with its confirmation. */
@Injectable()
export class ReceiptsPart implements SubscriptionPart {
  constructor(private readonly pings: ReceiptPings) {}

  /** Only returning clients and those of cache channels get earlier events. */
  enter({ connection, subscription }: Joining): JoinedPart | undefined {
    const { name, access, isCache } = subscription.channel;
    if (access === 'public' || !(sessions.of(connection) || isCache)) return undefined;
    return {
      observed: (text) => {
        const receipt = receiptInText(text);
        if (receipt !== undefined && isReceiptOf(connection.app, name, receipt, Date.now()))
          this.pings.add(connection, name, receipt);
      },
    };
  }
}
