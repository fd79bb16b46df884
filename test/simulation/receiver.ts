import type { WebhookClient, WebhookDelivery } from '#webhooks';
import type { Party } from '../../libs/testing/src/simulation/party.js';
import { webhookClient } from '../../libs/testing/src/simulation/simulated-receiver.js';
import type { World } from '../../libs/testing/src/simulation/world.js';

/** A webhook event, as the customer's server received it. */
export interface ReceivedEvent {
  readonly name: string;
  readonly channel: string;
  readonly user_id?: string;
}

/** The customer's server that webhooks go to. */
export class Receiver {
  /** The bodies that it was sent, in order, each once: a webhook may be sent twice. */
  readonly bodies = new Set<string>();

  constructor(private readonly world: World) {}

  /** The client with which a node posts to it. */
  clientOf(node: Party): Pick<WebhookClient, 'post' | 'close'> {
    return webhookClient(this.world, node, 'receiver', (delivery) => this.take(delivery));
  }

  private take({ body }: WebhookDelivery): void {
    if (this.bodies.has(body)) return;
    this.bodies.add(body);
    for (const { name, channel, user_id: user } of eventsIn([body]))
      this.world.note(`webhook ${name} ${channel} ${user ?? ''}`);
  }
}

/** The events in the bodies of webhooks. */
export const eventsIn = (bodies: Iterable<string>): readonly ReceivedEvent[] =>
  [...bodies].flatMap((body) => (JSON.parse(body) as { readonly events: readonly ReceivedEvent[] }).events);
