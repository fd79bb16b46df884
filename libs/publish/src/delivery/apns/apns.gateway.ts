import type { ApnsCredentials, Instance } from 'rookery/push-device';
import {
  PlatformFault,
  PushGateway,
  rejectedIn,
  type Notification,
  type PreparedNotification,
} from '../push.gateway.js';
import { Http2Pool } from '../http2/pool.js';
import { type ApnsAccount, managementEndpoint, productionEndpoint } from './apns-account.js';
import { apnsMessage, type ApnsMessage, listensToChannel } from './apns-message.js';
import { broadcastMessage } from './live-activities/broadcast-message.js';
import { ChannelManagement } from './live-activities/channel-management.js';
import { PreparedApns } from './prepared-apns.js';
import { PreparedBroadcast } from './live-activities/prepared-broadcast.js';
import { PreparedSandbox } from './prepared-sandbox.js';
import { ProviderToken } from './provider-token.js';
import { TokenUpdates } from './token-updates.js';

export interface ApnsGatewayOptions {
  /** The maximum number of simultaneous connections to one endpoint with one key. @default 4 */
  readonly connections?: number;
  /** The maximum number of concurrent streams per connection; the peer's SETTINGS may allow fewer. @default 250 */
  readonly streamsPerConnection?: number;
  /** How long a request may wait for an answer, in milliseconds. @default 20000 */
  readonly timeoutMs?: number;
  /** Ping interval in ms; closes a connection if a ping is still unanswered at the next one. @default 60000 */
  readonly pingEveryMs?: number;
  /** How long to keep an idle connection, in milliseconds. @default 3600000 */
  readonly idleAfterMs?: number;
  /** PEM certificates to trust instead of Node's. */
  readonly ca?: string;
  /** Clock in epoch milliseconds; a clock given here measures durations too. @default Date.now */
  readonly now?: () => number;
}

const defaults = {
  connections: 4,
  streamsPerConnection: 250,
  timeoutMs: 20_000,
  pingEveryMs: 60_000,
  idleAfterMs: 3_600_000,
};

/** The request for all devices or channels, or Apple's reason if Apple would refuse it on each. */
export const messageOf = (notification: Notification) =>
  notification.isBroadcast ? broadcastMessage(notification) : apnsMessage(notification);

/** Sends to Apple's devices over HTTP/2 with a provider token (beams-wire §11.1). */
export class ApnsGateway extends PushGateway {
  readonly platform = 'apns';
  override readonly channels = new ChannelManagement(
    (instance) => this.accountOf(credentialsOf(instance)),
    () => this.now(),
  );
  private readonly accounts = new Map<string, ApnsAccount>();
  private readonly pools = new Set<Http2Pool>();
  private readonly options: typeof defaults & { readonly ca?: string };
  private readonly now: () => number;
  private readonly steady: () => number;

  constructor({ now, ...options }: ApnsGatewayOptions = {}) {
    super();
    this.now = now ?? Date.now;
    this.steady = now ?? (() => performance.now());
    this.options = { ...defaults, ...options };
  }

  override refusal(notification: Notification): string | undefined {
    return rejectedIn(messageOf(notification));
  }

  async prepare(notification: Notification): Promise<PreparedNotification | { readonly rejected: string }> {
    const credentials = credentialsOf(notification.instance);
    if (notification.isBroadcast) return this.prepareBroadcast(notification, credentials);
    const message = apnsMessage(notification);
    if ('rejected' in message) return message;
    const account = this.accountOf(credentials);
    await account.token.current();
    return new PreparedApns(message, account, this.now, this.prepareSandbox(notification, credentials, message));
  }

  private prepareSandbox({ payload }: Notification, credentials: ApnsCredentials, message: ApnsMessage) {
    const { sandboxEndpoint: endpoint } = credentials;
    if (endpoint === undefined) return undefined;
    const prepared = new PreparedApns(message, this.accountOf({ ...credentials, endpoint }), this.now);
    return new PreparedSandbox(prepared, listensToChannel(payload));
  }

  private async prepareBroadcast(notification: Notification, credentials: ApnsCredentials) {
    const message = broadcastMessage(notification);
    if ('rejected' in message) return message;
    return new PreparedBroadcast(message, this.accountOf(credentials), this.now);
  }

  close(): Promise<void> {
    for (const pool of this.pools) pool.close();
    this.pools.clear();
    this.accounts.clear();
    return Promise.resolve();
  }

  private accountOf(credentials: ApnsCredentials): ApnsAccount {
    const { key, keyId, teamId, endpoint = productionEndpoint } = credentials;
    const name = JSON.stringify([endpoint, teamId, keyId, key]);
    let account = this.accounts.get(name);
    if (!account) this.accounts.set(name, (account = this.newAccount(credentials, endpoint)));
    return account;
  }

  private newAccount(credentials: ApnsCredentials, endpoint: string): ApnsAccount {
    if (!URL.canParse(endpoint)) throw new PlatformFault(`The APNs endpoint ${endpoint} is not a URL`);
    const connections = this.newPool(endpoint);
    const managing = managementEndpoint(endpoint);
    let management = managing === endpoint ? connections : undefined;
    const updates = new TokenUpdates(this.steady);
    return {
      keyId: credentials.keyId,
      token: new ProviderToken(credentials, this.now, this.steady),
      connections,
      refusedUpdates: () => {
        if (!updates.refused()) return;
        connections.renew();
        management?.renew();
      },
      management: () => (management ??= this.newPool(managing)),
    };
  }

  private newPool(endpoint: string): Http2Pool {
    const pool = new Http2Pool(endpoint, { ...this.options, provesItself: true });
    this.pools.add(pool);
    return pool;
  }
}

function credentialsOf({ apns, id }: Instance): ApnsCredentials {
  if (apns) return apns;
  throw new PlatformFault(`Instance ${id} has no APNs credentials: give it \`apns: { key, keyId, teamId }\``);
}
