import type { EndpointHealth } from './webhooks.js';

/** The viewer's session and its permissions. */
export interface ConsoleSession {
  readonly signedIn: boolean;
  readonly needsPassword: boolean;
  readonly development: boolean;
  readonly csrfToken: string | null;
  readonly hidesPayloads: boolean;
  readonly version: string;
}

/** An app and its totals over all processes. */
export interface OverviewApp {
  readonly id: string;
  readonly name: string | null;
  readonly key: string;
  readonly enabled: boolean;
  readonly connections: number;
  readonly channels: number;
  /** Of the last minute. */
  readonly triggersPerSecond: number;
  readonly messagesPerSecond: number;
  /** Of the last ten minutes. */
  readonly errors: number;
  readonly closedAsSlow: number;
  readonly webhooksFailed: number;
}

/** An instance, and the platforms that it has credentials for. */
export interface OverviewInstance {
  readonly id: string;
  readonly name: string | null;
  readonly apns: boolean;
  readonly fcm: boolean;
  readonly web: boolean;
}

/** A process's load. */
export interface NodeFigures {
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
  /** The mean since the previous request. */
  readonly loopDelayMs: number;
}

/** A process of the cluster. */
export interface ClusterNode extends NodeFigures {
  readonly id: string;
  /** Whether this process answers the request. */
  readonly here: boolean;
}

export interface Overview {
  /** What the processes share their state in; null: one process, or the workers of one machine. */
  readonly store: 'Redis' | 'PostgreSQL' | null;
  readonly apps: readonly OverviewApp[];
  readonly instances: readonly OverviewInstance[];
  readonly nodes: readonly ClusterNode[];
  readonly missingNodes: number;
  /** Endpoints of webhooks whose last attempt failed, within ten minutes. */
  readonly failingEndpoints: readonly EndpointHealth[];
  /** Whether apps can be changed here. */
  readonly editable: boolean;
  readonly instancesEditable: boolean;
  /** The kinds of which only those in use are known here: the application's repository cannot list them. */
  readonly unlisted: readonly ('apps' | 'instances')[];
}

/** Lines over the last hour, or day; null where no data exists. */
export interface Charts {
  readonly stepSeconds: number;
  /** The end of the last step. */
  readonly until: number;
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
}
