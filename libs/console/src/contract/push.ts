import type { Page } from './page.js';

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

export interface Devices extends Page<'devices', Device> {
  /** Of a user or an interest, up to {@link maxCountedDevices}; null if they are not counted. */
  readonly total: number | null;
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
  /** When the first of those is tried again; null while others are still sent to for the first time. */
  readonly retryAt: number | null;
  readonly explanations: readonly PushExplanation[];
}

/** Why devices failed or wait, and what to do about it. */
export interface PushExplanation {
  /** The push service's own word. */
  readonly reason: string;
  readonly devices: number;
  readonly meaning: string;
  readonly action: string;
}

export interface Publish {
  readonly id: string;
  readonly at: number;
  /** When it is sent, if it was scheduled. */
  readonly publishAt: number | null;
  readonly interests: readonly string[] | null;
  /** Of its interests' devices, those subscribed to all of `allOf` and to none of `noneOf`. */
  readonly allOf: readonly string[];
  readonly noneOf: readonly string[];
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

export type Publishes = Page<'publishes', Publish>;

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

export type Outcomes = Page<'outcomes', Outcome>;

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

export interface Notifications extends Page<'notifications', Notification> {
  /** Whether the app has notifications at all. */
  readonly isOn: boolean;
  /** The push instance of the app's notifications. */
  readonly instance: string | null;
}
