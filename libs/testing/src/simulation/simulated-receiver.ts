import type { TryOutcome, WebhookClient, WebhookDelivery } from 'rookery/internal/webhooks';
import type { Party } from './party.js';
import { Wire } from './wire.js';
import type { World } from './world.js';

const latency = { least: 1, most: 20, slowShare: 0.05, slow: 300 };

/** A webhook, as the endpoint received it. */
export interface SimulatedWebhook {
  readonly url: string;
  /** Decoded from JSON. */
  readonly body: unknown;
}

/** The client with which a party posts webhooks over the network to endpoints that accept them all. */
export function webhookClient(
  world: World,
  party: Party,
  endpoints: string,
  take: (delivery: WebhookDelivery) => void,
): Pick<WebhookClient, 'post' | 'close'> {
  const carry = (run: () => void): void => run();
  const there = new Wire<() => void>(world, `${party.name} to ${endpoints}`, world.outside, latency, carry);
  const back = new Wire<() => void>(world, `${endpoints} to ${party.name}`, party, latency, carry);
  return {
    post: (delivery) =>
      new Promise<TryOutcome>((resolve) =>
        there.send(() => {
          take(delivery);
          back.send(() => resolve({ outcome: 'accepted', status: 200 }), false);
        }, false),
      ),
    close: async () => {},
  };
}

/** The endpoints that webhooks go to, which accept them all. */
export class SimulatedReceiver {
  /** In order, each once: a webhook may be sent twice. */
  readonly webhooks: SimulatedWebhook[] = [];
  private readonly seen = new Set<string>();

  constructor(private readonly world: World) {}

  /** The client with which a process posts to them. */
  clientOf(party: Party): Pick<WebhookClient, 'post' | 'close'> {
    return webhookClient(this.world, party, 'webhooks', (delivery) => this.take(delivery));
  }

  private take({ id, url, body }: WebhookDelivery): void {
    if (this.seen.has(id)) return;
    this.seen.add(id);
    this.webhooks.push({ url, body: JSON.parse(body) as unknown });
    this.world.note(`a webhook reaches ${url}`);
  }
}
