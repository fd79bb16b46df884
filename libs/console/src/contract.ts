// The answers of the endpoints below `/console/api`. The pages import this file too, so it imports
// nothing but files that import nothing. Times are epoch milliseconds.

import { type ObservedKind, observedKinds } from '../../channels/src/lifecycle/observed-kinds.js';

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

export { observedKinds as activityKinds };
export type ActivityKind = ObservedKind;

/** An attempt to deliver a webhook. */
export interface WebhookAttempt {
  readonly url: string;
  readonly events: readonly string[];
  readonly attempt: number;
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of the endpoint's answer. */
  readonly answer?: string;
  readonly nextAt: number | null;
}

/** An activity in one of the processes. */
export interface Activity {
  /** For events, the same in every process. */
  readonly id: string;
  readonly at: number;
  /** The process where it occurred. */
  readonly node: string;
  readonly kind: ActivityKind;
  readonly channel?: string;
  readonly socketId?: string;
  readonly userId?: string;
  readonly name?: string;
  /** At most 10 KB of it; absent where payloads are hidden. */
  readonly data?: string;
  readonly code?: number | null;
  readonly message?: string;
  readonly excluded?: string;
  /** The key that a refused connection brought. */
  readonly key?: string;
  /** The channel's subscriptions, over all processes. */
  readonly reached?: number;
  readonly webhook?: WebhookAttempt;
}

/** The activities of the last minutes that are still kept, the latest first. */
export interface Recent {
  readonly activities: readonly Activity[];
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

export type UserConnection = Omit<ConnectionDetail, 'userInfo' | 'recent'>;

export interface UserDevice {
  readonly instance: string;
  readonly id: string;
  readonly platform: Platform;
}

/** A user of an app, over all processes. */
export interface UserDetail {
  readonly id: string;
  /** On which the user is signed in, or present on a channel; the latest first. */
  readonly connections: readonly UserConnection[];
  /** Of the last minutes: what the user's connections did, the latest first. */
  readonly lately: readonly Activity[];
  /** Of this user id in all push instances. */
  readonly devices: readonly UserDevice[];
  /** Processes that did not answer. */
  readonly missingNodes: number;
}

/** A row of the list of channels. */
export interface Channel {
  readonly name: string;
  readonly kind: string;
  readonly subscriptions: number;
  /** Sent to it in the last seconds, by servers and clients. */
  readonly eventsPerSecond: number;
  /** Only for presence channels. */
  readonly users: number | null;
}

export interface Channels {
  readonly channels: readonly Channel[];
  /** All that match the search. */
  readonly total: number;
  /** How many of them were compared with each other, if they are not in the order of names. */
  readonly compared: number;
  readonly next: string | null;
}

/** A member of a presence channel. */
export interface ShownMember {
  readonly id: string;
  readonly info: unknown;
}

export interface ChannelDetail extends Channel {
  readonly occupied: boolean;
  readonly members: readonly ShownMember[] | null;
  readonly cached: { readonly name: string; readonly data: string } | null;
  readonly history: { readonly events: number; readonly seconds: number } | null;
}

/** Whether a connection got an event, and the reason. */
export interface Verdict {
  readonly verdict: 'delivered' | 'not_delivered' | 'unknown';
  readonly reason: string;
  /** A sentence; `{at}` in it stands for the time `at`, which the page shows in the viewer's time zone. */
  readonly text: string;
  readonly at?: number;
}

/** An event that the event creator has sent. */
export interface SentEvent {
  readonly id: string;
  /** On all its channels together, just after it was sent. */
  readonly subscriptions: number;
}

/** A line of the timeline, for display. */
export interface TimelineEntry {
  readonly at: number;
  readonly text: string;
}

export interface WhySocket extends Verdict {
  /** Null for a verdict on a user without connections. */
  readonly socketId: string | null;
  readonly userId: string | null;
  readonly timeline: readonly TimelineEntry[];
}

export interface Why {
  readonly event: Activity | null;
  readonly sockets: readonly WhySocket[];
  /** Since when all processes keep events, but for those that were too many in a second. */
  readonly since: number;
  /** When events were last too many in a second to keep them all. */
  readonly skippedAt: number | null;
}

/** A connection that was refused. */
export interface RefusedConnection {
  readonly at: number;
  readonly node: string;
  /** Whether the app refused it, rather than a key that no app has. */
  readonly isOfApp: boolean;
  /** The key that the client brought. */
  readonly key: string;
  readonly remoteAddress: string;
  readonly origin: string | null;
  readonly code: number | null;
  readonly message: string;
}

/** The latest refused connections of an app, and those with a key that no app has. */
export interface Refusals {
  readonly refusals: readonly RefusedConnection[];
}

/** A webhook that was given up. */
export interface DeadWebhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly at: number;
  /** Why the last attempt failed, with the beginning of the endpoint's answer. */
  readonly lastError: string;
  /** Null when payloads are hidden. */
  readonly body: string | null;
}

/** Given-up webhooks, newest first. */
export interface DeadWebhooks {
  readonly webhooks: readonly DeadWebhook[];
  readonly next: string | null;
}

/** An endpoint of an app. */
export interface WebhookEndpoint {
  /** Without possible secrets. */
  readonly url: string;
  /** Empty: all. */
  readonly events: readonly string[];
  readonly filter: {
    readonly channelNameStartsWith?: string;
    readonly channelNameEndsWith?: string;
    readonly encryptedChannels?: boolean;
  } | null;
  /** The names of its own headers; their values may be secrets. */
  readonly headers: readonly string[];
}

/** How an endpoint has answered lately. */
export interface EndpointHealth {
  /** An app's id, or `instance/` and the id of an instance. */
  readonly owner: string;
  readonly url: string;
  /** The last attempt. */
  readonly at: number;
  readonly status: number | null;
  readonly error: string | null;
  /** The first failure since it last accepted a webhook; null if the last attempt was accepted. */
  readonly failingSince: number | null;
  /** Failed attempts of the last ten minutes. */
  readonly failures: number;
  /** When the oldest was created that failed and will be tried again; null if there is none. */
  readonly undeliveredSince: number | null;
}

export interface Webhooks {
  readonly endpoints: readonly WebhookEndpoint[];
  /** Of endpoints that were tried since the processes began. */
  readonly health: readonly EndpointHealth[];
  readonly attempts: readonly Activity[];
  readonly waiting: number;
  /** When the first of them is due, in epoch milliseconds: its next try, if it was tried. */
  readonly firstDueAt: number | null;
  /** How many webhooks were given up and not sent again, of those that are kept. */
  readonly dead: number;
  /** How many older ones were dropped since all were last sent again. */
  readonly dropped: number;
}

/** The outcome of a test webhook. */
export interface WebhookTest {
  readonly isAccepted: boolean;
  readonly status: number | null;
  readonly error: string | null;
  readonly answer: string | null;
  readonly durationMs: number;
  /** What was sent. */
  readonly body: string | null;
}

export type Platform = 'apns' | 'fcm' | 'web';

/** A device, without its token, which stays private. */
export interface Device {
  readonly id: string;
  readonly platform: Platform;
  readonly userId: string | null;
  /** Of an Apple app. */
  readonly bundleId: string | null;
  readonly interests: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly lastSeenAt: number | null;
  /** When its push service reported that it is gone, if it has not registered since. */
  readonly goneSince: number | null;
}

/** What became of a publish for one device. */
export interface DevicePublish {
  readonly publishId: string;
  readonly at: number;
  readonly title: string | null;
  readonly outcome: string;
  readonly reason: string | null;
}

/** Of the instance's latest publishes, those that reached the device or tried to; the latest first. */
export interface DevicePublishes {
  readonly publishes: readonly DevicePublish[];
  /** How many publishes were searched. */
  readonly searched: number;
}

export interface Devices {
  readonly devices: readonly Device[];
  /** Of a user or an interest, up to {@link maxCountedDevices}; null if they are not counted. */
  readonly total: number | null;
  readonly next: string | null;
}

/** A larger audience is not counted further. */
export const maxCountedDevices = 10_000;

export type PushBody = Readonly<Partial<Record<Platform, unknown>>>;

/** The requests to each gateway; null for a platform without a payload. */
export interface Preview {
  readonly apns: unknown;
  readonly fcm: unknown;
  readonly web: unknown;
  readonly errors: readonly string[];
}

/** The progress of a publish on one platform. */
export interface PlatformProgress {
  readonly platform: Platform;
  /** Why nothing can be sent on this platform. */
  readonly fault: string | null;
  /** Devices found so far. */
  readonly audience: number;
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
  /** When it is sent, if it was scheduled. */
  readonly publishAt: number | null;
  readonly interests: readonly string[] | null;
  readonly users: readonly string[] | null;
  /** The notification's title, or its text if it has none. Null when payloads are hidden. */
  readonly title: string | null;
  readonly state: 'waiting' | 'sending' | 'done' | 'cancelled';
  /** Once it is done: `partly` if some devices or platforms failed. */
  readonly result: 'sent' | 'partly' | 'failed' | 'no-devices' | null;
  readonly platforms: readonly PlatformProgress[];
}

/** Whether a push gateway accepts credentials. */
export interface GatewayCheck {
  readonly isAccepted: boolean;
  readonly says: string;
}

/** The push service's answer to a notification for one device. */
export interface DeviceTest {
  /** `later`: it may accept it at another time; `refused`: the credentials or the platform, whichever device it is. */
  readonly outcome: 'delivered' | 'unregistered' | 'rejected' | 'later' | 'refused';
  readonly reason: string | null;
  readonly durationMs: number;
}

/** The devices that a publish would reach. */
export interface Reach {
  readonly platforms: readonly {
    readonly platform: Platform;
    readonly devices: number;
    readonly hasCredentials: boolean;
  }[];
  /** Whether there are more devices than were counted. */
  readonly isMore: boolean;
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

/** A notification of NotificationsModule: its user gets it once, on an open page or by push. Times are null if unset. */
export interface Notification {
  readonly id: string;
  readonly at: number;
  readonly userId: string;
  /** The event's name. */
  readonly name: string;
  /** JSON. Null when payloads are hidden. */
  readonly data: string | null;
  readonly title: string | null;
  /** When its push is due. */
  readonly pushAt: number | null;
  readonly shownAt: number | null;
  readonly pushedAt: number | null;
  readonly publishId: string | null;
  readonly skippedAt: number | null;
  readonly readAt: number | null;
  readonly withdrawnAt: number | null;
  /** What became of its push; null if there is none, or its publish is not kept any more. */
  readonly push: PushOutcome | null;
}

/** The outcome of a publish, over all platforms. Counts are of devices. */
export interface PushOutcome {
  readonly isDone: boolean;
  readonly devices: number;
  readonly sent: number;
  readonly failed: number;
  /** Why devices failed or wait; null if none do. */
  readonly why: string | null;
}

export interface Notifications {
  /** Whether the app has notifications at all. */
  readonly isOn: boolean;
  /** The push instance of the app's notifications. */
  readonly instance: string | null;
  readonly notifications: readonly Notification[];
  readonly next: string | null;
}

/** An app or a push instance. Besides the credentials, its settings have the same form as in the configuration. */
export interface Administered {
  readonly id: string;
  /** A change names it, to fail if another change came first; null for one of the configuration. */
  readonly version: number | null;
  /** An app's key, or the name of an instance's secret key. */
  readonly key: string;
  readonly keys: readonly string[];
  readonly keysValidUntil: Readonly<Record<string, string>>;
  /** Of an app's current key; null: until they are removed. */
  readonly oldSecretsValidUntil?: readonly (string | null)[];
  readonly origin: 'configuration' | 'database';
  readonly enabled: boolean;
  readonly [setting: string]: unknown;
}

/** How the keys of an app are used, in all processes. */
export interface KeyUses {
  /** Since when all processes know it: the latest start of one. */
  readonly since: number;
  /** How many processes did not answer. */
  readonly missing: number;
  readonly keys: Readonly<Record<string, KeyUse>>;
}

export interface KeyUse {
  /** Open connections that came with it. */
  readonly connections: number;
  /** The last signed request or new connection; null: none since a process started. */
  readonly usedAt: number | null;
}

/** The JSON schema of a setting. */
export interface SettingSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: SettingSchema;
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SettingSchema;
  readonly anyOf?: readonly SettingSchema[];
  readonly default?: string | number | boolean | null;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** The apps or the instances, with the schemas of their settings. */
export type AllAdministered = Readonly<Partial<Record<'apps' | 'instances', readonly Administered[]>>> & {
  readonly schema: Readonly<Record<string, SettingSchema>>;
};
