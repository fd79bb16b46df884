import type { AppConfig, ChannelsOptions } from 'rookery/channels';

/** The channels that a schedule uses: some keep their events, some have members. */
export const channels = ['kept-a', 'kept-b', 'private-kept-c', 'news', 'presence-room', 'presence-kept'] as const;

/** The users of clients. */
export const users = ['ann', 'ben', 'cat', 'dan'] as const;

/** Whether events of the channel are replayed to sessions. */
export const isKept = (channel: string): boolean => channel.includes('kept');
export const hasMembers = (channel: string): boolean => channel.startsWith('presence-');
export const allowsClientEvents = (channel: string): boolean => /^(private|presence)-/.test(channel);
/** Whether client events of the channel are not kept, although its other events are. */
export const isPassing = (channel: string): boolean => channel === 'private-kept-c';

export const app = {
  id: '7',
  key: 'simulated-key',
  secret: 'simulated-secret',
  clientEvents: true,
  subscriptionCount: true,
  history: [{ channels: 'kept-*' }, { channels: 'private-kept-*' }, { channels: 'presence-kept', clientEvents: true }],
  webhooks: [
    {
      url: 'https://hooks.simulated/',
      events: ['channel_occupied', 'channel_vacated', 'member_added', 'member_removed'],
    },
  ],
} satisfies AppConfig;

/** Of a tenant who wishes the others no good. */
export const hostileApp = {
  id: '8',
  key: 'hostile-key',
  secret: 'hostile-secret',
  history: [{ channels: 'kept-*', streams: true }],
} satisfies AppConfig;

/** Above what other clients do: only those that are rude or hostile reach them. */
export const limits = {
  subscriptions: 100,
  newChannelsPerMinute: 60,
  refusalsPerSecond: 300,
  heartbeatsPerSecond: 20,
  connectionsPerAddress: 8,
  subscriptionsPerAddress: 100,
  keptBytes: 1_048_576,
};

/** How many new channels a connection may have opened after a time. */
export const maxNewChannels = (ms: number): number =>
  limits.subscriptions + 1 + Math.ceil((ms * limits.newChannelsPerMinute) / 60_000);

export const options = {
  limits,
  activityTimeoutSeconds: 10,
  pongTimeoutSeconds: 5,
  drainSeconds: 2,
  webhooks: { holdMs: 1500 },
  sessions: { pingMs: 500 },
  // Nodes are told of jobs; polls find those of dead nodes.
  webhookSender: { pollMs: 10_000 },
} satisfies Omit<ChannelsOptions, 'apps'>;
