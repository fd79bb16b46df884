import { Injectable } from '@nestjs/common';
import { historyRuleOf } from '../../app/history-rule.js';
import { Broker, type RememberedEvent } from '../../broker/broker.js';
import { Hub } from '../../hub/hub.js';
import * as frames from '../../protocol/frames.js';
import type { EarlierEvent, JoinedPart, Joining, SubscriptionPart } from '../../subscriptions/subscription-part.js';
import { WebhooksService } from '../../webhooks/webhooks.service.js';

/** Sends the latest event of a cache channel, or reports that there is none (channels-wire §4). */
@Injectable()
export class CachePart implements SubscriptionPart {
  constructor(
    private readonly broker: Broker,
    private readonly hub: Hub,
    private readonly webhooks: WebhooksService,
  ) {}

  enter(joining: Joining): Promise<JoinedPart> | undefined {
    return joining.subscription.channel.isCache ? this.recall(joining) : undefined;
  }

  private async recall(joining: Joining): Promise<JoinedPart> {
    const { connection, subscription } = joining;
    const remembered = await this.broker.recall(connection.app.id, subscription.channel.name);
    return new CachedEvent(joining, remembered, this.hub, this.webhooks);
  }
}

/** The event of a cache channel for a new subscriber. */
class CachedEvent implements JoinedPart {
  private isMiss = false;
  private wasSent: RememberedEvent | undefined;

  constructor(
    private readonly joining: Joining,
    private readonly remembered: RememberedEvent | undefined,
    private readonly hub: Hub,
    private readonly webhooks: WebhooksService,
  ) {}

  *texts(isCovered: (event: EarlierEvent | undefined) => boolean): Iterable<string> {
    const { remembered, name } = this;
    const { connection } = this.joining;
    if (isCovered(remembered)) return;
    if (!remembered) {
      this.isMiss = true;
      yield frames.cacheMiss(name);
      // An event that came after the subscription began is among the held messages.
    } else if (!this.hub.isPending(connection, name, remembered.position)) {
      this.wasSent = remembered;
      // Events of channels with a history carry their position.
      const { text, position } = remembered;
      yield historyRuleOf(connection.app, name) ? frames.placed(text, position) : text;
    }
  }

  sent(): { readonly remembered: string | undefined } {
    return { remembered: this.wasSent?.position };
  }

  confirmed(): void {
    if (this.isMiss) this.webhooks.emit(this.joining.connection.app, { name: 'cache_miss', channel: this.name });
  }

  alreadySent(): { readonly position?: string } {
    return this.wasSent ? { position: this.wasSent.position } : {};
  }

  private get name(): string {
    return this.joining.subscription.channel.name;
  }
}
