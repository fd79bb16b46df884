import type { Account, LedgerQuotas, Quota, Quotas } from '#common';
import { wideTimes } from '#http';
import type { ChannelsLimits } from '../app/channels-limits.js';

/** Who is counted. */
export type Client = 'connection' | 'network' | 'wideNetwork' | 'user';

/** What is counted: rates, and what a client holds. */
export type Cause =
  | 'subscribes'
  | 'newChannels'
  | 'refusals'
  | 'warnings'
  | 'heartbeats'
  | 'newConnections'
  | 'newSessions'
  | 'connections'
  | 'httpConnections'
  | 'silentSockets'
  | 'subscriptions'
  | 'clientEventBytes'
  | 'clientEventFanOut'
  | 'waitingBytes';

export type ClientAccount = Account<Cause>;

/** What clients may cause in this process. */
export function clientQuotas(limits: ChannelsLimits): LedgerQuotas<Client, Cause> {
  const connection = ofConnection(limits);
  const perSecond = (count: number): Quota => ({ most: 2 * count, perSecond: count });
  const perMinute = (count: number): Quota => ({ most: 10 * count, perSecond: count / 60 });
  const { subscribes, newChannels, refusals, heartbeats } = connection;
  const network = {
    ...timesAll(limits.budgetsPerAddress, { subscribes, newChannels, refusals, heartbeats }),
    newConnections: perMinute(limits.newConnectionsPerAddress),
    newSessions: perMinute(limits.newSessionsPerAddress),
    connections: { most: limits.connectionsPerAddress },
    httpConnections: { most: limits.httpConnectionsPerAddress },
    silentSockets: { most: limits.silentSocketsPerAddress },
    subscriptions: { most: limits.subscriptionsPerAddress },
    clientEventFanOut: perSecond(limits.clientEventFanOutPerAddress),
    waitingBytes: { most: Infinity },
  };
  return {
    connection,
    network,
    wideNetwork: timesAll(wideTimes, network),
    user: { clientEventBytes: perSecond(limits.clientEventBytesPerUser) },
    process: { subscriptions: { most: Infinity }, waitingBytes: { most: limits.processQueuedBytes } },
  };
}

function ofConnection(limits: ChannelsLimits) {
  // A client that returns subscribes to all its channels at once, and each may be new or refused.
  const rate = (count: number, seconds: number): Quota => ({
    most: Math.max(count, limits.subscriptions),
    perSecond: count / seconds,
  });
  return {
    subscribes: rate(limits.subscribesPerSecond, 1),
    newChannels: rate(limits.newChannelsPerMinute, 60),
    refusals: rate(limits.refusalsPerSecond, 1),
    subscriptions: { most: limits.subscriptions },
    heartbeats: { most: 10 * limits.heartbeatsPerSecond, perSecond: limits.heartbeatsPerSecond },
    // What is refused above its rate is announced some times before the client is closed.
    warnings: { most: 10, perSecond: limits.refusalsPerSecond / 10 },
  };
}

function timesAll<What extends string>(times: number, quotas: Quotas<What>): Quotas<What> {
  const of = ({ most, perSecond }: Quota): Quota => ({
    most: times * most,
    ...(perSecond !== undefined && { perSecond: times * perSecond }),
  });
  return Object.fromEntries(
    Object.entries<Quota>(quotas as Record<What, Quota>).map(([what, quota]) => [what, of(quota)]),
  ) as Quotas<What>;
}
