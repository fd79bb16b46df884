import { Injectable } from '@nestjs/common';
import { Apps, ChannelsMetrics, type ConnectionsQuery, OpenConnections } from 'rookery/internal/channels';
import { PushSamples } from '../watch/push-samples.js';
import { Samples } from '../watch/samples.js';
import type { KeyUse } from '../contract/index.js';
import { PushServices } from '../push/push-services.js';
import { ChannelRates } from '../watch/channel-rates.js';
import { EndpointHealths } from '../watch/endpoint-health.js';
import { OwnActivities, type RecentQuery } from '../watch/own-activities.js';
import { TraceAnswers } from '../watch/trace-answers.js';
import { DeliveryFactsSource, type WhyQuestion } from '../watch/delivery-facts.js';
import { Timelines } from '../watch/timelines.js';
import { OwnFigures } from '../watch/own-figures.js';

/** What a question is about. */
interface OfApp {
  readonly appId: string;
}
interface OfSocket extends OfApp {
  readonly socketId: string;
}
interface OfUser extends OfApp {
  readonly userId: string;
}
/** The app, or the instance as the trace names it. */
interface OfOwner {
  readonly traced: string;
}
/** The most rows to answer. */
interface Most {
  readonly most: number;
}

/** What a process answers about itself alone, by the names of the questions. Content and answers travel as JSON. */
@Injectable()
export class ProcessView {
  constructor(
    private readonly apps: Apps,
    private readonly metrics: ChannelsMetrics,
    private readonly push: PushServices,
    private readonly connections: OpenConnections,
    private readonly figures: OwnFigures,
    private readonly samples: Samples,
    private readonly pushSamples: PushSamples,
    private readonly rates: ChannelRates,
    private readonly healths: EndpointHealths,
    private readonly trace: TraceAnswers,
    private readonly activities: OwnActivities,
    private readonly timelines: Timelines,
    private readonly facts: DeliveryFactsSource,
  ) {}

  readonly answers = {
    figures: () => this.figures.now(),
    appLoads: () => {
      const lately = this.samples.lately();
      return [...this.metrics.all].map(([id, { connections }]) => [id, { ...lately.get(id), connections }] as const);
    },
    /** The instances that were served. */
    instances: () => [...this.push.counted.keys()],

    appChart: ({ appId }: Partial<OfApp>) => this.samples.of(appId),
    instanceChart: ({ instanceId }: { readonly instanceId: string }) => this.pushSamples.of(instanceId),
    keyUses: ({ appId, keys }: OfApp & { readonly keys: readonly string[] }) => this.keyUses(appId, keys),
    /** Events per second of these channels, or of those with the most. */
    rates: ({ appId, channels, most }: OfApp & Most & { readonly channels?: readonly string[] }) => {
      const rates = this.rates.of(appId);
      if (channels) return channels.map((name) => [name, rates.get(name) ?? 0] as const);
      return [...rates].toSorted(([, left], [, right]) => right - left).slice(0, most);
    },

    connections: (query: ConnectionsQuery) => this.connections.page(query),
    /** Null: another process has it, or none. */
    connection: ({ appId, socketId }: OfSocket) => {
      const connection = this.connections.find(appId, socketId);
      return connection ? { connection } : null;
    },
    /** Null likewise. */
    connectionTimeline: ({ appId, socketId, most }: OfSocket & Most) =>
      this.timelines.ofConnection(appId, socketId, most),
    closeConnection: ({ appId, socketId }: OfSocket) => this.connections.close(appId, socketId),
    user: ({ appId, userId, most }: OfUser & Most) => {
      const open = this.connections.ofUser(appId, userId).slice(0, most);
      return {
        connections: open.map((each) => {
          const { userInfo: _, ...shown } = each;
          return shown;
        }),
      };
    },
    userTimeline: ({ appId, userId, most }: OfUser & Most) => this.timelines.ofUser(appId, userId, most),
    disconnectUser: ({ appId, userId }: OfUser) => this.connections.closeOfUser(appId, userId),

    recent: (query: RecentQuery) => this.activities.recent(query),
    activity: ({ appId, id }: OfApp & { readonly id: string }) => this.activities.one(appId, id),
    tries: ({ traced, most }: OfOwner & Most) => this.trace.triesOf(traced, most),
    /** Of all owners, without one. */
    health: ({ traced }: Partial<OfOwner>) => this.healths.of(traced, Date.now()),
    refusals: ({ appId, most }: OfApp & Most) => this.trace.refusalsOf(appId, most),
    deliveryFacts: (question: WhyQuestion) => this.facts.answer(question),
  } as const;

  private keyUses(appId: string, keys: readonly string[]) {
    const counts = this.connections.byKey(appId);
    const useOf = (key: string): KeyUse => {
      const usedAt = this.apps.keysUsedAt.get(key);
      return { connections: counts.get(key) ?? 0, usedAt: usedAt === undefined ? null : usedAt * 1000 };
    };
    return {
      since: Math.round(performance.timeOrigin),
      keys: Object.fromEntries(keys.map((key) => [key, useOf(key)])),
    };
  }
}
