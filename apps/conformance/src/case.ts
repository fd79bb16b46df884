import type { Subject } from './subject.js';

/** `channels-core`: what every client needs. `channels`: the rest of the protocol. */
export type Profile = 'channels-core' | 'channels' | 'beams';

/** How a server that is known to differ answers, so that this is named and not counted as a failure. */
export interface Dialect {
  readonly server: string;
  /** Found in what the case got instead. */
  readonly got: RegExp;
}

/** Where Pusher answers {}. */
export const soketiAnswers: Dialect = { server: 'soketi', got: /\{\\"ok\\":true\}/ };

/** One thing that the protocol promises. */
export interface Case {
  /** `theme/name`: stable, for `--only` and for reports. */
  readonly id: string;
  readonly title: string;
  readonly profile: Profile;
  /** Pusher's documentation, or an official SDK's code. */
  readonly source: string;
  /** Absent: the source states it. */
  readonly basis?: Basis;
  readonly dialects?: readonly Dialect[];
  /** It may stop a server: it runs after the others, and with no other. */
  readonly isRude?: boolean;
  /** Rejects with what was expected and what came; or with `Skipped`. */
  run(subject: Subject): Promise<void>;
}

/**
 * What a case rests on where no page states it. `observed`: Pusher's service and SDKs behave so. `robustness`: any
 * server should, whatever Pusher does with such input.
 */
export type Basis = 'observed' | 'robustness';

/** What came instead of what was expected. */
export class Mismatch extends Error {
  constructor(
    readonly what: string,
    readonly expected: string,
    readonly got: string,
  ) {
    super(`${what}: expected ${expected}, got ${got}`);
  }
}

/** Status and shape are right, and the text has other words than Pusher's: SDKs show it, and none reads it. */
export class OtherWords extends Mismatch {}

/** The case does not apply to this server, which is not an answer about it. */
export class Skipped extends Error {}

/** The source of a case, and on what the case rests if the source does not state it. */
export const originOf = ({ basis, source }: Pick<Case, 'basis' | 'source'>): string =>
  basis ? `${basis}; see ${source}` : source;

/** Where the facts are from. */
export const sources = {
  protocol: 'https://pusher.com/docs/channels/library_auth_reference/pusher-websockets-protocol/',
  signatures: 'https://pusher.com/docs/channels/library_auth_reference/auth-signatures/',
  httpApi: 'https://pusher.com/docs/channels/library_auth_reference/rest-api/',
  presence: 'https://pusher.com/docs/channels/using_channels/presence-channels/',
  cache: 'https://pusher.com/docs/channels/using_channels/cache-channels/',
  clientEvents: 'https://pusher.com/docs/channels/using_channels/events/#triggering-client-events',
  users: 'https://pusher.com/docs/channels/using_channels/user-authentication/',
  watchlist: 'https://pusher.com/docs/channels/using_channels/watchlist-events/',
  counts: 'https://pusher.com/docs/channels/using_channels/events/#pusher-subscription-count',
  pusherJs: 'https://github.com/pusher/pusher-js, src/core/connection',
  swift: 'https://github.com/pusher/pusher-websocket-swift',
  ruby: 'https://github.com/pusher/pusher-signature, lib/pusher/signature.rb',
  webhooks: 'https://pusher.com/docs/channels/server_api/webhooks/',
  httpTransports: 'https://github.com/pusher/pusher-js, src/core/http',
  publishApi: 'https://pusher.com/docs/beams/reference/publish-api/',
  deviceApi: 'https://pusher.com/docs/beams/reference/device-api/',
  customerApi: 'https://pusher.com/docs/beams/reference/customer-api/',
  androidSdk: 'https://github.com/pusher/push-notifications-android, PushNotificationsAPI.kt',
  webSdk: 'https://github.com/pusher/push-notifications-web, src/push-notifications.js',
  goSdk: 'https://github.com/pusher/push-notifications-go, push_notifications.go',
  httpSwift: 'https://github.com/pusher/pusher-http-swift, Tests',
} as const;
