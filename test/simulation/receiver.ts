import type { TryOutcome, WebhookClient, WebhookDelivery } from 'rookery/common';
import type { Party } from '../../libs/testing/src/simulation/party.js';
import { Wire } from '../../libs/testing/src/simulation/wire.js';
import type { World } from '../../libs/testing/src/simulation/world.js';

/** A webhook event, as the customer's server received it. */
export interface ReceivedEvent {
  readonly name: string;
  readonly channel: string;
  readonly user_id?: string;
}

const latency = { least: 1, most: 20, slowShare: 0.05, slow: 300 };

/** The customer's server that webhooks go to. */
export class Receiver {
  /** The bodies that it was sent, in order, each once: a webhook may be sent twice. */
  readonly bodies = new Set<string>();

  constructor(private readonly world: World) {}

  /** The client with which a node posts to it. */
  clientOf(node: Party): Pick<WebhookClient, 'post' | 'close'> {
    const { world } = this;
    const there = new Wire<() => void>(world, `${node.name} to receiver`, world.outside, latency, (take) => take());
    const back = new Wire<() => void>(world, `receiver to ${node.name}`, node, latency, (take) => take());
    return {
      post: (delivery) =>
        new Promise<TryOutcome>((resolve) =>
          there.send(() => {
            this.take(delivery);
            back.send(() => resolve({ outcome: 'accepted', status: 200 }), false);
          }, false),
        ),
      close: async () => {},
    };
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
