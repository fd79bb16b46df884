import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { ChannelState, EventsService, type StateRequest } from 'rookery/channels';
import { startHost } from '../support/channels-host.js';
import { testApp } from '../support/test-app.js';
import { Link, LinkedBroker } from '../support/linked.broker.js';
import { PusherJs } from '../support/pusher-js.js';
import { until } from '../support/until.js';

/** The shop's orders, and how it reads them. */
@Injectable()
export class Orders {
  orders: string[] = [];
  reads: StateRequest[] = [];
  /** Until it resolves, each read waits, having read or not. */
  before: Promise<unknown> = Promise.resolve();
  after: Promise<unknown> = Promise.resolve();

  constructor(private readonly events: EventsService) {}

  @ChannelState('orders.{shop}')
  @ChannelState('private-orders.{shop}')
  @ChannelState('presence-orders.{shop}')
  async list(request: StateRequest): Promise<readonly string[]> {
    this.reads.push(request);
    const { before, after } = this;
    await before;
    const orders = [...this.orders];
    await after;
    return orders;
  }

  /** Changes first, and triggers then. */
  async add(order: string, channel = 'orders.7'): Promise<void> {
    this.orders.push(order);
    await this.events.trigger(testApp.id, { name: 'added', channel, data: order });
  }

  reset(): void {
    this.orders = [];
    this.reads = [];
    this.before = this.after = Promise.resolve();
  }
}

/** A host with orders, and pages that show them. */
export async function startOrders() {
  const broker = new LinkedBroker(new Link());
  const host = await startHost('Fastify', [Orders], () => {}, {
    apps: [{ ...testApp, history: [{ channels: 'private-orders.kept' }] }],
    broker: { useValue: broker },
    states: { shareMs: 60_000 },
  });
  const clients: PusherJs[] = [];

  /** Stock pusher-js. */
  function connect(wsPath?: string): PusherJs {
    const client = new PusherJs(testApp.key, {
      cluster: '',
      wsHost: '127.0.0.1',
      wsPort: host.port,
      ...(wsPath && { wsPath }),
      forceTLS: false,
      enabledTransports: ['ws'],
      channelAuthorization: {
        endpoint: '',
        transport: 'ajax',
        customHandler: ({ socketId, channelName }, answer) =>
          answer(null, host.pusher.authorizeChannel(socketId, channelName, { user_id: randomUUID() })),
      },
    });
    clients.push(client);
    return client;
  }

  /** A page that shows the orders, as the guide says. */
  function page(client = connect(), name = 'orders.7') {
    const shown: string[][] = [];
    const heard: string[] = [];
    const channel = client.subscribe(name);
    channel.bind_global((event: string) => {
      if (!event.startsWith('pusher')) heard.push(event);
    });
    channel.bind('rookery:state', ({ state }: { state: string[] }) => shown.push(state));
    // An order may be in the state already.
    channel.bind('added', (order: string) => shown.push([...new Set([...shown.at(-1)!, order])]));
    const shows = (...all: string[]) =>
      until(() => shown.at(-1)?.join() === all.join(), `the page shows ${all.join()}`);
    return { client, channel, shown, heard, shows };
  }

  return {
    ...host,
    broker,
    orders: host.app.get(Orders),
    connect,
    page,
    disconnect: () => clients.splice(0).forEach((client) => client.disconnect()),
  };
}

/** Holds back what waits for `closed`, until `open` is called. */
export const gate = () => {
  let open = (): void => {};
  return { closed: new Promise<void>((resolve) => void (open = resolve)), open: () => open() };
};
