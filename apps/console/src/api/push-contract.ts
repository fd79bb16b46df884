/** The answers of the endpoints below `/console/api/instances` and `/console/api/admin`. */

export type Platform = 'apns' | 'fcm' | 'web';

export interface Device {
  readonly id: string;
  readonly platform: Platform;
  readonly userId: string | null;
  readonly interests: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly lastSeenAt: number | null;
}

export interface Devices {
  readonly devices: readonly Device[];
  readonly next: string | null;
}

export type PushBody = Readonly<Partial<Record<Platform, unknown>>>;

export interface Preview {
  readonly apns: unknown;
  readonly fcm: unknown;
  readonly web: unknown;
  readonly errors: readonly string[];
}

/** The progress of a publish on one platform. */
export interface PlatformProgress {
  readonly platform: Platform;
  readonly state: string;
  /** Accepted by the gateway. */
  readonly sent: number;
  /** Reported by devices. */
  readonly delivered: number;
  readonly failed: number;
  readonly later: number;
}

export interface Publish {
  readonly id: string;
  readonly at: number;
  readonly interests: readonly string[] | null;
  readonly users: readonly string[] | null;
  readonly state: 'waiting' | 'sending' | 'done' | 'cancelled';
  readonly platforms: readonly PlatformProgress[];
}

export interface Publishes {
  readonly publishes: readonly Publish[];
  readonly next: string | null;
}

export interface PublishDetail extends Publish {
  /** Null when payloads are hidden. */
  readonly body: PushBody | null;
}

export interface Outcome {
  readonly deviceId: string;
  readonly platform: Platform;
  readonly outcome: string;
  readonly reason: string | null;
}

export interface Outcomes {
  readonly outcomes: readonly Outcome[];
  readonly next: string | null;
}

/** Besides the credentials, the settings of an app have the same form as in the configuration. */
export interface AdminApp {
  readonly id: string;
  /** A change names it, to fail if another change came first; null for an app of the configuration. */
  readonly version: number | null;
  readonly key: string;
  readonly keys: readonly string[];
  readonly origin: 'configuration' | 'database';
  readonly enabled: boolean;
  readonly [setting: string]: unknown;
}

export interface AdminInstance {
  readonly id: string;
  readonly version: number | null;
  readonly origin: 'configuration' | 'database';
  readonly enabled: boolean;
  readonly [setting: string]: unknown;
}

export type Administered = AdminApp | AdminInstance;
