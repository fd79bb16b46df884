import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Beams, type BeamsTarget } from './beams.js';
import { Mismatch, Skipped } from './case.js';
import { isSuccess } from './matching.js';
import { Socket } from './socket.js';
import type { PushService } from './push-service.js';
import type { WebhookListener } from './webhooks.js';

/** The server that is judged, and an app of it. */
export interface Target {
  /** `http:` or `https:`. A path is put before those of the API and of the sockets, and is not signed. */
  readonly url: string;
  readonly appId: string;
  readonly key: string;
  readonly secret: string;
  /** Without it, cases of Beams are skipped. */
  readonly push?: BeamsTarget;
  /** Where the app sends its webhooks. Without it, their cases are skipped. */
  readonly webhooks?: WebhookListener;
  /** Where browsers of made-up subscriptions get their pushes. Without it, the cases of pushes that arrive are skipped. */
  readonly pushService?: PushService;
  /** Whether cases that wait for minutes of silence run. */
  readonly isSlow?: boolean;
  /** How long an answer may take before it counts as missing, in milliseconds. @default 5000 */
  readonly patienceMs?: number;
}

export const defaultPatienceMs = 5000;

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Undefined if the text is none. */
  readonly json: unknown;
}

export interface Asked {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sent instead of the body that was signed. */
  readonly sent?: string;
  /** Changes the query once it is signed, or instead of being signed. */
  readonly tamper?: (query: URLSearchParams) => void;
  readonly key?: string;
  readonly secret?: string;
  readonly timestamp?: number;
}

/** A connection that was greeted. */
export interface Connected {
  readonly socket: Socket;
  readonly socketId: string;
}

/** As Pusher signs: hex. */
export const hmac = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');

/** A member of a presence channel, with all that an endpoint can sign of it. */
export const member = (id: string) => ({ user_id: id, user_info: { name: `${id} of the house` } });

const maxSent = 600;

/** What a case does with a server. Connections are closed when the case has ended. */
export class Subject {
  /** Part of every name that a case uses. */
  readonly run = randomBytes(6).toString('hex');
  /** The last frame or request of the case, without the fences. */
  sent: string | undefined;
  private readonly ending: (() => void)[] = [];

  constructor(readonly target: Target) {}

  get patienceMs(): number {
    return this.target.patienceMs ?? defaultPatienceMs;
  }

  /** A channel of this case alone. */
  channel(prefix = ''): string {
    return `${prefix}conformance-${this.run}`;
  }

  /** Opens a connection and reads nothing. */
  async open(
    query = '?protocol=7&client=js&version=8.6.0',
    key = this.target.key,
    { protocols = [], isMute = false }: { readonly protocols?: readonly string[]; readonly isMute?: boolean } = {},
  ) {
    const socket = await Socket.open(
      `${this.target.url.replace(/^http/, 'ws')}/app/${key}${query}`,
      protocols,
      this.patienceMs,
      { isMute, onSent: (frame) => (this.sent = frame) },
    );
    this.ends(() => socket.close());
    return socket;
  }

  async connect(query?: string): Promise<Connected> {
    const socket = await this.open(query);
    const { data } = await socket.next('pusher:connection_established');
    const { socket_id: socketId } = JSON.parse(String(data)) as { readonly socket_id: string };
    return { socket, socketId };
  }

  /** Subscribes to a channel of any kind, with a token where it takes one. */
  async subscribed(channel: string, as?: unknown): Promise<Connected> {
    const connected = await this.connect();
    await this.subscribe(connected, channel, as);
    return connected;
  }

  async subscribe(connected: Connected, channel: string, as?: unknown) {
    connected.socket.send({ event: 'pusher:subscribe', data: this.asks(connected, channel, as) });
    return connected.socket.next('pusher_internal:subscription_succeeded', channel);
  }

  /** The data of a subscription. */
  asks({ socketId }: Connected, channel: string, as?: unknown) {
    if (!/^(private|presence)-/.test(channel)) return { channel };
    const channelData = as === undefined ? undefined : JSON.stringify(as);
    const signed = [socketId, channel, ...(channelData === undefined ? [] : [channelData])].join(':');
    return { channel, auth: `${this.target.key}:${hmac(this.target.secret, signed)}`, channel_data: channelData };
  }

  /** The frame that signs in. */
  signIn({ socketId }: Connected, user: unknown) {
    const userData = JSON.stringify(user);
    const auth = `${this.target.key}:${hmac(this.target.secret, `${socketId}::user::${userData}`)}`;
    return { event: 'pusher:signin', data: { auth, user_data: userData } };
  }

  /** A signed request; `path` follows the app's. */
  async ask(method: 'GET' | 'POST', path: string, asked: Asked = {}): Promise<Answer> {
    const { url, appId } = this.target;
    const { query = {}, body, sent: other, tamper, key = this.target.key, secret = this.target.secret } = asked;
    const { timestamp = Math.floor(Date.now() / 1000) } = asked;
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const parameters = new Map<string, string>([
      ...Object.entries(query),
      ['auth_key', key],
      ['auth_timestamp', String(timestamp)],
      ['auth_version', '1.0'],
      ...(text === undefined ? [] : [['body_md5', createHash('md5').update(text).digest('hex')] as const]),
    ]);
    const sorted = [...parameters].toSorted(([one], [other]) => (one < other ? -1 : 1));
    const at = `/apps/${appId}${path}`;
    const signed = `${method}\n${at}\n${sorted.map(([name, value]) => `${name}=${value}`).join('&')}`;
    const sent = new URLSearchParams([...sorted, ['auth_signature', hmac(secret, signed)]]);
    tamper?.(sent);
    const content = other ?? text;
    this.sent = `${method} ${at}${content === undefined ? '' : ` ${content}`}`.slice(0, maxSent);
    const answer = await fetch(`${url}${at}?${sent.toString()}`, {
      method,
      signal: AbortSignal.timeout(this.patienceMs),
      ...(content !== undefined && { body: content, headers: { 'content-type': 'application/json' } }),
    });
    const got = await answer.text();
    return { status: answer.status, text: got, json: parsed(got) };
  }

  /**
   * Triggers an event, which must be accepted.
   * @throws Skipped if the server accepts no trigger at all, which `http-api/event` tells
   */
  async trigger(
    channels: readonly string[],
    data = '{}',
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<Answer> {
    const answer = await this.ask('POST', '/events', { body: { name: 'asked', channels, data, ...more } });
    if (isSuccess(answer.status)) return answer;
    const plain = await this.ask('POST', '/events', {
      body: { name: 'asked', channels: [this.channel()], data: '{}' },
    });
    if (!isSuccess(plain.status)) throw new Skipped(`the server accepts no trigger (http-api/event): ${plain.status}`);
    throw new Mismatch('the answer to a trigger', 'success', `${answer.status} ${answer.text}`);
  }

  /** @throws Skipped */
  beams(): Beams {
    if (!this.target.push) throw new Skipped('no push instance was named');
    return new Beams(this.target.push);
  }

  /** @throws Skipped */
  webhooks(): WebhookListener {
    if (!this.target.webhooks) throw new Skipped('the suite does not get the webhooks of the app');
    return this.target.webhooks;
  }

  /** @throws Skipped */
  pushService(): PushService {
    if (!this.target.pushService) throw new Skipped('the suite is no push service of the instance');
    return this.target.pushService;
  }

  /** Calls it when the case has ended. */
  ends(end: () => void): void {
    this.ending.push(end);
  }

  close(): void {
    for (const end of this.ending) end();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
