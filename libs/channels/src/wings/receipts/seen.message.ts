import { Injectable } from '@nestjs/common';
import type { Connection } from '../../connections/connection.js';
import type { FeatureMessageHandler } from '../../events/feature-messages.js';
import { dataOf, type Fields, requiredText } from '../../protocol/client-message.js';
import { ProtocolError } from '../../protocol/protocol-error.js';
import { ReceiptsService, type SeenMessage } from './receipts.service.js';

const event = 'rookery:seen';

type Seen = SeenMessage & { readonly event: typeof event };

/** How many events a client may report at once. */
const maxReceipts = 100;

/** `{"event":"rookery:seen","channel":"private-a","data":{"receipts":["…"]}}` */
export function readSeen(frame: Fields): Seen {
  return { event, channel: requiredText(frame, 'channel'), receipts: receiptsIn(dataOf(frame)) };
}

/** Notes what pages report to have shown. */
@Injectable()
export class SeenMessages implements FeatureMessageHandler<Seen> {
  readonly event = event;
  readonly read = readSeen;

  constructor(private readonly receipts: ReceiptsService) {}

  handle(connection: Connection, message: Seen): void {
    this.receipts.seen(connection, message);
  }
}

function receiptsIn({ receipts }: Fields): readonly string[] {
  const isList = Array.isArray(receipts) && receipts.length > 0 && receipts.length <= maxReceipts;
  if (!isList || !receipts.every((each) => typeof each === 'string'))
    throw ProtocolError.malformed(`receipts must be an array of 1 to ${maxReceipts} strings`);
  return receipts;
}
