import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http2';

/** An answer about a channel. */
export interface ChannelAnswer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

/** A broadcast that was accepted. */
export interface ReceivedBroadcast {
  readonly bundleIdentifier: string;
  readonly channelId: string;
  readonly headers: IncomingHttpHeaders;
  readonly payload: any;
}

const refused = (reason: string, status = 400): ChannelAnswer => ({ status, body: { reason } });
const maxBytes = 5120;

/** Apple's broadcast channels: their management and broadcasts to them, with the limits and errors that Apple documents. */
export class StandInChannels {
  /** The channels that an app may have. */
  limit = 10_000;
  /** The apps for which broadcasts are not enabled. */
  readonly disabled = new Set<string>();
  readonly broadcasts: ReceivedBroadcast[] = [];
  /** The channels ever created. */
  created = 0;
  private readonly byApp = new Map<string, Map<string, number>>();

  static owns(path: string): boolean {
    return /^\/(1|4\/broadcasts)\/apps\//.test(path);
  }

  /** The storage policies of an app's channels, by id. */
  of(bundleIdentifier: string): ReadonlyMap<string, number> {
    return this.appOf(bundleIdentifier);
  }

  /** Forgets a channel, as if it had been deleted elsewhere. */
  lose(bundleIdentifier: string, channelId: string): void {
    this.appOf(bundleIdentifier).delete(channelId);
  }

  answer(headers: IncomingHttpHeaders, body: string): ChannelAnswer {
    const [, version, app = '', what] =
      /^\/(1|4\/broadcasts)\/apps\/([^/]+)(?:\/(channels|all-channels))?$/.exec(String(headers[':path'])) ?? [];
    const bundleIdentifier = decodeURIComponent(app);
    if (this.disabled.has(bundleIdentifier)) return refused('FeatureNotEnabled');
    if (bundleIdentifier.includes('.push-type.')) return refused('TopicDisallowed');
    if (version === '4/broadcasts' && what === undefined) return this.broadcast(bundleIdentifier, headers, body);
    if (version !== '1') return refused('BadPath', 404);
    if (what === 'all-channels') return { status: 200, body: { channels: [...this.appOf(bundleIdentifier).keys()] } };
    switch (headers[':method']) {
      case 'POST':
        return this.create(bundleIdentifier, body);
      case 'GET':
        return this.known(bundleIdentifier, headers, (_, policy) => ({
          status: 200,
          body: { 'message-storage-policy': policy, 'push-type': 'LiveActivity' },
        }));
      case 'DELETE':
        return this.known(bundleIdentifier, headers, (id) => {
          this.appOf(bundleIdentifier).delete(id);
          return { status: 204 };
        });
      default:
        return refused('MethodNotAllowed', 405);
    }
  }

  private create(bundleIdentifier: string, text: string): ChannelAnswer {
    const body: Record<string, unknown> = JSON.parse(text);
    if (body['push-type'] === undefined) return refused('MissingPushType');
    if (body['push-type'] !== 'LiveActivity') return refused('InvalidPushType');
    const policy = body['message-storage-policy'];
    if (policy !== 0 && policy !== 1) return refused('BadRequestParams');
    const channels = this.appOf(bundleIdentifier);
    if (channels.size >= this.limit) return refused('CannotCreateChannelConfig');
    const id = randomBytes(12).toString('base64');
    channels.set(id, policy);
    this.created += 1;
    return { status: 201, headers: { 'apns-channel-id': id } };
  }

  private broadcast(bundleIdentifier: string, headers: IncomingHttpHeaders, body: string): ChannelAnswer {
    return this.known(bundleIdentifier, headers, (channelId, policy) => {
      if (headers['apns-push-type'] !== 'liveactivity') return refused('InvalidPushType');
      if (!['1', '5', '10'].includes(String(headers['apns-priority']))) return refused('BadPriority');
      const expiration = headers['apns-expiration'];
      if (!/^\d+$/.test(String(expiration)) || (policy === 0 && expiration !== '0'))
        return refused('BadExpirationDate');
      if (body === '') return refused('PayloadEmpty');
      if (Buffer.byteLength(body) > maxBytes) return refused('PayloadTooLarge', 413);
      this.broadcasts.push({ bundleIdentifier, channelId, headers, payload: JSON.parse(body) });
      return { status: 200 };
    });
  }

  private known(
    bundleIdentifier: string,
    headers: IncomingHttpHeaders,
    then: (id: string, policy: number) => ChannelAnswer,
  ): ChannelAnswer {
    const id = headers['apns-channel-id'];
    if (id === undefined) return refused('MissingChannelId');
    if (typeof id !== 'string' || !/^[\w+/]+=*$/.test(id)) return refused('BadChannelId');
    const policy = this.appOf(bundleIdentifier).get(id);
    return policy === undefined ? refused('ChannelNotRegistered') : then(id, policy);
  }

  private appOf(bundleIdentifier: string): Map<string, number> {
    const channels = this.byApp.get(bundleIdentifier) ?? new Map<string, number>();
    this.byApp.set(bundleIdentifier, channels);
    return channels;
  }
}
