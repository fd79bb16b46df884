import { base64, hex, latin1, now } from './bytes.mjs';
import { checked, userPath } from './checked.mjs';
import { hmac } from './hmac.mjs';
import { md5 } from './md5.mjs';
import { type CallOptions, request, type ServerOptions, withoutSlash } from './requests.mjs';

export interface ChannelsOptions extends ServerOptions {
  readonly appId: string;
  readonly key: string;
  readonly secret: string;
  /** 32 bytes in Base64: for the authorization of encrypted channels. */
  readonly encryptionMasterKeyBase64?: string;
}

/** The counts of a channel; `user_count` only for presence channels. */
export type CountAttribute = 'user_count' | 'subscription_count';
export type ChannelCounts = Readonly<Partial<Record<CountAttribute, number>>>;

/** An event of a batch. */
export interface BatchEvent {
  readonly channel: string;
  readonly name: string;
  /** Encoded as JSON, unless it is a text. */
  readonly data: unknown;
  readonly socket_id?: string;
  /** The requested counts, separated by commas: see {@link CountAttribute}. */
  readonly info?: string;
}

export interface TriggerOptions extends CallOptions, Pick<BatchEvent, 'socket_id' | 'info'> {}

/** A notification, with the fields of the HTTP API. */
export interface NotificationContent {
  /** For open pages; `data` is an object. */
  readonly event: { readonly name: string; readonly data: unknown };
  /** For devices if no page shows it in time. */
  readonly push?: { readonly apns?: object; readonly fcm?: object; readonly web?: object };
  readonly pushAfterSeconds?: number;
  /** A newer notification with the same key replaces an unread one. */
  readonly collapseKey?: string;
  /** When devices stay silent. */
  readonly quietHours?: { readonly from: string; readonly to: string; readonly timeZone?: string } | null;
}

export interface ChannelStatus extends ChannelCounts {
  readonly occupied: boolean;
  /** Set for a cache channel if `info` requests it. */
  readonly cache?: { readonly data: string; readonly ttl: number } | null;
}

export interface ChannelList {
  readonly channels: Readonly<Record<string, ChannelCounts>>;
}

export interface UserList {
  readonly users: readonly { readonly id: string }[];
}

export interface HistoryPage {
  readonly events: readonly {
    readonly position: string;
    readonly name: string;
    readonly data: string;
    readonly user_id?: string;
  }[];
  readonly complete: boolean;
  readonly position: string;
}

/** A member of a presence channel. */
export interface ChannelMember {
  readonly user_id: string;
  readonly user_info?: unknown;
}

export interface ChannelToken {
  readonly auth: string;
  readonly channel_data?: string;
  readonly shared_secret?: string;
}

export interface SignedInUser {
  readonly id: string;
  readonly user_info?: object;
  readonly watchlist?: readonly string[];
}

export interface Webhook {
  readonly time_ms: number;
  readonly events: readonly (Readonly<Record<string, unknown>> & { readonly name: string })[];
}

/** The parts of a `Request` that a webhook is read from. */
export interface WebhookRequest {
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** Parameters of a GET. */
export type Query = Readonly<Record<string, string | number>>;

/** Triggers events, queries channels, and authorizes subscriptions. */
export interface ChannelsClient {
  /**
   * Sends an event to 1 to 100 channels.
   * @throws Error for an encrypted channel: WebCrypto lacks the cipher
   */
  trigger(
    channels: string | readonly string[],
    event: string,
    data: unknown,
    options?: TriggerOptions,
  ): Promise<{ readonly channels?: Readonly<Record<string, ChannelCounts>> }>;
  /** Sends up to 10 events, in order; none when one is refused. @throws Error as {@link trigger} */
  triggerBatch(
    batch: readonly BatchEvent[],
    options?: CallOptions,
  ): Promise<{ readonly batch?: readonly ChannelCounts[] }>;
  /** Sends an event to a signed-in user. */
  sendToUser(userId: string, event: string, data: unknown, options?: CallOptions): Promise<object>;
  /** Notifies a user once: in an open page, otherwise by push. Returns when it is durable (Rookery only). */
  notify(
    notification: NotificationContent & { readonly userId: string },
    options?: CallOptions,
  ): Promise<{ readonly id: string }>;
  /** Notifies each of 1 to 1000 users, or none. Returns the ids in the order of the users. */
  notify(
    notification: NotificationContent & { readonly users: readonly string[] },
    options?: CallOptions,
  ): Promise<{ readonly ids: readonly string[] }>;
  /** The occupied channels: `filter_by_prefix`, and `info` with `user_count` for presence channels. */
  get(path: 'channels', query?: Query, options?: CallOptions): Promise<ChannelList>;
  /** The users on a presence channel. */
  get(path: `channels/${string}/users`, query?: Query, options?: CallOptions): Promise<UserList>;
  /** The events in a channel's history: `after` a position, up to a `limit`. */
  get(path: `channels/${string}/events`, query?: Query, options?: CallOptions): Promise<HistoryPage>;
  /** A channel; `info` of {@link CountAttribute} and `cache`, separated by commas. */
  get(path: `channels/${string}`, query?: Query, options?: CallOptions): Promise<ChannelStatus>;
  /** Closes all connections of a user. With `info`, it also returns whether the user was signed in (Rookery only). */
  terminateUserConnections(
    userId: string,
    options?: CallOptions,
    query?: { readonly info?: 'online' },
  ): Promise<{ readonly online?: boolean }>;
  /**
   * Authorizes a subscription: returns what the client needs. First check yourself whether the client may subscribe.
   * @param member the member of a presence channel; without it, a signed-in user joins as themselves
   * @throws Error if a name is invalid, or the master key is missing
   */
  authorizeChannel(socketId: string, channel: string, member?: ChannelMember): Promise<ChannelToken>;
  /** Signs a user in: returns what the client needs. @throws Error if the socket id is invalid */
  authenticateUser(
    socketId: string,
    user: SignedInUser,
  ): Promise<{ readonly auth: string; readonly user_data: string }>;
  /** Reads a webhook. @throws Error if it is not signed with the app's secret */
  webhook(request: WebhookRequest): Promise<Webhook>;
}

export function channelsClient(server: ChannelsOptions): ChannelsClient {
  const { appId, key, secret, encryptionMasterKeyBase64 } = server;
  const sign = hmac(secret);
  const prefix = withoutSlash(new URL(server.url).pathname);

  const token = async (text: string): Promise<string> => `${key}:${hex(await sign(text))}`;

  const sharedSecret = async (channel: string): Promise<string> => {
    if (!encryptionMasterKeyBase64) throw new Error(`${channel} needs encryptionMasterKeyBase64`);
    return base64(await crypto.subtle.digest('SHA-256', latin1(channel + atob(encryptionMasterKeyBase64))));
  };

  /** A GET, or a POST if there is something to send. */
  const call = async <Answer,>(path: string, options?: CallOptions, sent?: object, query?: Query): Promise<Answer> => {
    const method = sent ? 'POST' : 'GET';
    const body = sent && JSON.stringify(sent);
    const target = `/apps/${appId}/${path}`;
    const parameters = new URLSearchParams({
      ...query,
      auth_key: key,
      auth_timestamp: now(),
      auth_version: '1.0',
      ...(body && { body_md5: md5(body) }),
    } as unknown as Readonly<Record<string, string>>); // Numbers become texts.
    parameters.sort();
    const signed = Array.from(parameters, (pair) => pair.join('=')).join('&');
    parameters.set('auth_signature', hex(await sign(`${method}\n${prefix}${target}\n${signed}`)));
    return request(server, method, `${target}?${String(parameters)}`, body, options);
  };

  const trigger: ChannelsClient['trigger'] = async (names, name, data, options = {}) => {
    const { socket_id, info } = options;
    const channels = [names].flat();
    return call('events', options, { name, data: textOf(data, channels), channels, socket_id, info });
  };

  return {
    trigger,
    triggerBatch: async (batch, options) =>
      call('batch_events', options, {
        batch: batch.map((event) => ({ ...event, data: textOf(event.data, [event.channel]) })),
      }),
    sendToUser: (userId, ...event) => trigger(`#server-to-user-${userId}`, ...event),
    notify: (notification: object, options?: CallOptions) => call<never>('notifications', options, notification),
    get: (path: string, query?: Query, options?: CallOptions) => call<never>(path, options, undefined, query),
    terminateUserConnections: async (userId, options, query) =>
      call(`${userPath(userId)}/terminate_connections`, options, {}, query),

    async authorizeChannel(socketId, channel, member) {
      const text = `${checked(socketId, socketIds)}:${checked(channel, /^[\w\-=@,.;]+$/)}`;
      const data = member && JSON.stringify(member);
      return {
        auth: await token(data ? `${text}:${data}` : text),
        ...(data && { channel_data: data }),
        ...(isEncrypted(channel) && { shared_secret: await sharedSecret(channel) }),
      };
    },
    async authenticateUser(socketId, user) {
      const data = JSON.stringify(user);
      return { auth: await token(`${checked(socketId, socketIds)}::user::${data}`), user_data: data };
    },
    async webhook(request) {
      const body = await request.text();
      const given = ['key', 'signature'].map((name) => request.headers.get(`x-pusher-${name}`)).join(':');
      // Direct comparison would reveal by its duration how much of the signature is right.
      if ((await token(given)) !== (await token(await token(body)))) throw new Error('Not a webhook of the app');
      return JSON.parse(body) as Webhook; // The app's server wrote it.
    },
  };
}

const socketIds = /^\d+\.\d+$/;

const isEncrypted = (channel: string): boolean => channel.startsWith('private-encrypted-');

function textOf(data: unknown, channels: readonly string[]): string {
  const encrypted = channels.find(isEncrypted);
  if (encrypted) throw new Error(`Cannot encrypt for ${encrypted}`);
  return typeof data === 'string' ? data : JSON.stringify(data);
}
