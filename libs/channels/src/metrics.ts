import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Labels } from '#common';
import { accessOf } from './protocol/channel-name.js';
import type { ClientMessage } from './protocol/client-message.js';
import { isReserved } from './protocol/reserved-channels.js';

/** An app's activity in this process, as plain numbers, because they are counted for each event. */
export class AppTraffic {
  connections = 0;
  triggers = 0;
  clientEvents = 0;
  deliveries = 0;
  /** Connections closed because they read too slowly. */
  slowCloses = 0;
  /** Refused requests of clients, including connections. */
  refusals = 0;
  /** Failed attempts to deliver a webhook. */
  failedWebhooks = 0;
}

/** A channel with connections in this process, and their number. */
interface OpenChannel {
  readonly channel: string;
  readonly size: number;
}

/** Channels with subscribers in this process, and the number of subscriptions. */
interface SubscriptionFigures {
  readonly access: string;
  readonly channels: number;
  readonly subscriptions: number;
}

/** The limits on what clients may cause: names of fields of ChannelsLimits. */
const clientLimits = [
  'subscribesPerSecond',
  'newChannelsPerMinute',
  'refusalsPerSecond',
  'heartbeatsPerSecond',
  'queuedBytes',
  'queuedMs',
  'readProofMs',
  'processQueuedBytes',
  'processInputBytes',
  'messageMs',
  'connectionsPerAddress',
  'newConnectionsPerAddress',
  'budgetsPerAddress',
  'subscriptionsPerAddress',
  'clientEventBytesPerUser',
  'clientEventFanOutPerAddress',
  'newSessionsPerAddress',
  'httpConnectionsPerAddress',
  'silentSocketsPerAddress',
  'connections',
  'keptBytes',
  'processKeptBytes',
] as const;
type ClientLimit = (typeof clientLimits)[number];

/** In seconds: from half a millisecond, within one process, to delays that users notice. */
const latencyBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The metrics of ChannelsModule, for Prometheus: merge its registry with your own, or serve `registry.metrics()`. */
@Injectable()
export class ChannelsMetrics {
  readonly registry = new Registry();
  /** Messages from clients, by kind; features add theirs. */
  readonly messages: Record<ClientMessage['event'] | 'malformed', number> = {
    'pusher:ping': 0,
    'pusher:pong': 0,
    'pusher:subscribe': 0,
    'pusher:unsubscribe': 0,
    'pusher:signin': 0,
    client: 0,
    malformed: 0,
  };
  /** A sample: during a burst, not every event is measured. */
  readonly triggerToSocket = new Histogram({
    name: 'rookery_channels_trigger_to_socket_seconds',
    help: 'From the acceptance of a trigger, in any process, to its last write to a subscriber here; a sample',
    buckets: latencyBuckets,
    registers: [this.registry],
  });
  readonly slowConnections = new Counter({
    name: 'rookery_channels_slow_connections_total',
    help: 'Connections closed with 4100 because too much waited for them, or for too long',
    registers: [this.registry],
  });
  /** Created with every limit at 0, so that the first time shows as an increase. */
  private readonly limits = new Counter({
    name: 'rookery_channels_limits_reached_total',
    help: 'How often clients reached a limit on what they may cause, by the limit',
    labelNames: ['limit'],
    registers: [this.registry],
  });
  readonly webhooksGivenUp = new Counter({
    name: 'rookery_channels_webhooks_given_up_total',
    help: 'Webhooks given up: the last try failed, a retry could not succeed, or too many were waiting',
    registers: [this.registry],
  });
  readonly triggersBuried = new Counter({
    name: 'rookery_channels_triggers_buried_total',
    help: 'Events of transactions that cannot be sent, because their app is gone or does not allow the channel',
    registers: [this.registry],
  });
  readonly gaps = new Counter({
    name: 'rookery_channels_gaps_total',
    help: 'How often a channel with subscribers here may have missed messages',
    registers: [this.registry],
  });
  readonly webhookTries = new Counter({
    name: 'rookery_channels_webhook_tries_total',
    help: 'Tries to deliver a webhook, by outcome: accepted, failed or refused',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  private readonly held: (() => Readonly<Partial<Record<string, number>>>)[] = [];
  private readonly apps = new Labels();
  private readonly traffic = new Map<string, AppTraffic>();

  constructor() {
    for (const limit of clientLimits) this.limits.inc({ limit }, 0);
    this.showTraffic(Gauge, 'connections', 'rookery_channels_connections', 'Open connections of this process');
    this.showTraffic(
      Counter,
      'triggers',
      'rookery_channels_triggers_total',
      'Events that servers triggered here, counted once for each channel',
    );
    this.showTraffic(
      Counter,
      'clientEvents',
      'rookery_channels_client_events_total',
      'Events that clients sent to other subscribers of their channels',
    );
    this.showTraffic(
      Counter,
      'deliveries',
      'rookery_channels_deliveries_total',
      'Events delivered to connections of this process, counted once for each connection',
    );
    this.showMessages();
  }

  /** The counters of an app; several apps may share one, named `other`. */
  of(appId: string): AppTraffic {
    return this.traffic.get(appId) ?? this.first(appId);
  }

  /** The counters of every app that has any, by its id. */
  get all(): Iterable<readonly [appId: string, AppTraffic]> {
    return this.traffic;
  }

  limitReached(limit: ClientLimit): void {
    this.limits.inc({ limit });
  }

  webhookTried(appId: string, outcome: string): void {
    this.webhookTries.inc({ outcome });
    if (outcome !== 'accepted') this.of(appId).failedWebhooks += 1;
  }

  /** Shows the number of channels and subscriptions by the kinds of channels, read at each scrape. */
  showSubscriptions(channels: () => Iterable<OpenChannel>): void {
    const show = (name: string, help: string, value: (each: SubscriptionFigures) => number): Gauge =>
      new Gauge({
        name,
        help,
        labelNames: ['access'],
        registers: [this.registry],
        collect() {
          this.reset();
          for (const each of byAccess(channels())) this.set({ access: each.access }, value(each));
        },
      });
    show('rookery_channels_channels', 'Channels with subscribers in this process', ({ channels }) => channels);
    show('rookery_channels_subscriptions', 'Subscriptions of this process', ({ subscriptions }) => subscriptions);
  }

  /** Shows what is held in this process, by what it is, read at each scrape. */
  showHeld(totals: () => Readonly<Partial<Record<string, number>>>): void {
    this.held.push(totals);
    if (this.held.length > 1) return;
    const { held } = this;
    const shown = new Gauge({
      name: 'rookery_channels_held',
      help: 'What this process holds for its clients and apps, by what is limited',
      labelNames: ['what'],
      registers: [],
      collect() {
        for (const each of held) for (const [what, amount] of Object.entries(each())) this.set({ what }, amount ?? 0);
      },
    });
    this.registry.registerMetric(shown);
  }

  private first(appId: string): AppTraffic {
    const app = this.apps.label(appId);
    let traffic = this.traffic.get(app);
    if (!traffic) this.traffic.set(app, (traffic = new AppTraffic()));
    return traffic;
  }

  private showTraffic(Kind: typeof Gauge | typeof Counter, figure: keyof AppTraffic, name: string, help: string): void {
    const { traffic } = this;
    const shown = new Kind({
      name,
      help,
      labelNames: ['app'],
      registers: [],
      collect() {
        this.reset();
        for (const [app, figures] of traffic) this.inc({ app }, figures[figure]);
      },
    });
    this.registry.registerMetric(shown);
  }

  private showMessages(): void {
    const { messages } = this;
    const shown = new Counter({
      name: 'rookery_channels_messages_total',
      help: 'Messages from clients, by kind',
      labelNames: ['event'],
      registers: [],
      collect() {
        this.reset();
        for (const [event, count] of Object.entries(messages)) this.inc({ event }, count);
      },
    });
    this.registry.registerMetric(shown);
  }
}

function byAccess(open: Iterable<OpenChannel>): Iterable<SubscriptionFigures> {
  const all = new Map<string, SubscriptionFigures>();
  for (const { channel, size } of open) {
    if (isReserved(channel)) continue;
    const access = accessOf(channel);
    const { channels, subscriptions } = all.get(access) ?? { channels: 0, subscriptions: 0 };
    all.set(access, { access, channels: channels + 1, subscriptions: subscriptions + size });
  }
  return all.values();
}
