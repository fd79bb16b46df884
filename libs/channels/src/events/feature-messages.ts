import type { Connection } from '../connections/connection.js';
import type { FeatureMessage, MessageReader } from '../protocol/client-message.js';

/** A message that clients send to a feature. */
export interface FeatureMessageHandler<Message extends FeatureMessage = FeatureMessage> extends MessageReader {
  readonly event: Message['event'];
  handle(connection: Connection, message: Message): void | Promise<void>;
}

/** The messages of all features. */
export class FeatureMessages {
  readonly byEvent: ReadonlyMap<string, FeatureMessageHandler>;

  constructor(all: readonly FeatureMessageHandler[]) {
    this.byEvent = new Map(all.map((each) => [each.event, each]));
  }
}
