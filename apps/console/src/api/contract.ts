/** The answers of the endpoints below `/console/api`. Times are epoch milliseconds. */

export interface Session {
  readonly signedIn: boolean;
  readonly needsPassword: boolean;
  readonly development: boolean;
  readonly csrfToken: string | null;
  readonly hidesPayloads: boolean;
  readonly version: string;
}

export interface OverviewApp {
  readonly id: string;
  readonly key: string;
  readonly enabled: boolean;
  readonly connections: number;
  readonly channels: number;
}

export interface OverviewInstance {
  readonly id: string;
  readonly apns: boolean;
  readonly fcm: boolean;
  readonly web: boolean;
}

export interface ClusterNode {
  readonly id: string;
  readonly here: boolean;
  readonly pid: number;
  readonly host: string;
  readonly version: string;
  readonly startedAt: number;
  readonly connections: number;
  readonly channels: number;
  readonly subscriptions: number;
  readonly triggersPerSecond: number;
  readonly messagesPerSecond: number;
  /** Of one core, 0 to 1. */
  readonly cpu: number;
  readonly heapBytes: number;
  readonly rssBytes: number;
  readonly loopDelayMs: number;
}

export interface Overview {
  readonly apps: readonly OverviewApp[];
  readonly instances: readonly OverviewInstance[];
  readonly nodes: readonly ClusterNode[];
  readonly missingNodes: number;
  readonly editable: boolean;
}

export interface Charts {
  readonly stepSeconds: number;
  readonly until: number;
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
}

export const activityKinds = [
  'connected',
  'disconnected',
  'subscribed',
  'unsubscribed',
  'occupied',
  'vacated',
  'member_added',
  'member_removed',
  'event',
  'client_event',
  'error',
  'webhook',
  'signed_in',
  'slow_closed',
] as const;

export type ActivityKind = (typeof activityKinds)[number];

export interface WebhookAttempt {
  readonly url: string;
  readonly events: readonly string[];
  readonly attempt: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly nextAt: number | null;
}

export interface Activity {
  readonly id: string;
  readonly at: number;
  readonly node: string;
  readonly kind: ActivityKind;
  readonly channel?: string;
  readonly socketId?: string;
  readonly userId?: string;
  readonly name?: string;
  /** Absent when payloads are hidden. */
  readonly data?: string;
  readonly code?: number;
  readonly message?: string;
  readonly excluded?: string;
  readonly reached?: number;
  readonly webhook?: WebhookAttempt;
}

export interface LiveStatus {
  readonly dropped: number;
  readonly nodes: number;
}

export interface Connection {
  readonly socketId: string;
  readonly node: string;
  readonly connectedAt: number;
  readonly transport: 'websocket' | 'http';
  readonly remoteAddress: string;
  readonly userId: string | null;
  readonly channels: number;
  readonly waitingBytes: number;
}

export interface ConnectionDetail extends Omit<Connection, 'channels'> {
  readonly channels: readonly string[];
  readonly origin: string | null;
  readonly userInfo: unknown;
  /** Messages sent to it, if they are counted. */
  readonly sent?: number;
  readonly recent: readonly Activity[];
}

export interface Connections {
  readonly connections: readonly Connection[];
  readonly total: number;
  readonly next: string | null;
}

export interface Channel {
  readonly name: string;
  readonly kind: string;
  readonly subscriptions: number;
  readonly users: number | null;
}

export interface Channels {
  readonly channels: readonly Channel[];
  readonly next: string | null;
}

export interface ChannelDetail extends Channel {
  readonly occupied: boolean;
  readonly members: readonly { readonly id: string; readonly info: unknown }[] | null;
  readonly cached: { readonly name: string; readonly data: string } | null;
  readonly history: { readonly events: number; readonly seconds: number } | null;
}

export interface Why {
  readonly event: Activity | null;
  readonly sockets: readonly {
    readonly socketId: string;
    readonly userId: string | null;
    readonly verdict: 'delivered' | 'not_delivered' | 'unknown';
    readonly reason: string;
    readonly text: string;
    readonly timeline: readonly { readonly at: number; readonly text: string }[];
  }[];
}

export interface DeadWebhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly at: number;
  readonly attempts?: number;
  readonly lastError: string | null;
}

export interface Webhooks {
  readonly attempts: readonly Activity[];
  readonly waiting: number;
  readonly oldestAt: number | null;
  readonly dead: readonly DeadWebhook[];
}
