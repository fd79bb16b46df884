import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Beams, type BeamsTarget } from './beams.js';
import { Skipped } from './case.js';
import { expects } from './matching.js';
import { Socket } from './socket.js';
import type { WebhookListener } from './webhooks.js';

/** The server that is judged, and an app of it. */
export interface Target {
  /** `http:` or `https:`, without a path. */
  readonly url: string;
  readonly appId: string;
  readonly key: string;
  readonly secret: string;
  /** Without it, cases of Beams are skipped. */
  readonly push?: BeamsTarget;
  /** Where the app sends its webhooks. Without it, their cases are skipped. */
  readonly webhooks?: WebhookListener;
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

/** What a case does with a server. Connections are closed when the case has ended. */
export class Subject {
  /** Part of every name that a case uses. */
  readonly run = randomBytes(6).toString('hex');
  private readonly ending: (() => void)[] = [];

  constructor(readonly target: Target) {}

  /** A channel of this case alone. */
  channel(prefix = ''): string {
    return `${prefix}conformance-${this.run}`;
  }

  /** Opens a connection and reads nothing. */
  async open(query = '?protocol=7&client=js&version=8.6.0', key = this.target.key, protocols: readonly string[] = []) {
    const socket = await Socket.open(
      `${this.target.url.replace(/^http/, 'ws')}/app/${key}${query}`,
      protocols,
      this.target.patienceMs ?? defaultPatienceMs,
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
    const answer = await fetch(`${url}${at}?${sent.toString()}`, {
      method,
      signal: AbortSignal.timeout(this.target.patienceMs ?? defaultPatienceMs),
      ...(content !== undefined && { body: content, headers: { 'content-type': 'application/json' } }),
    });
    const got = await answer.text();
    return { status: answer.status, text: got, json: parsed(got) };
  }

  /** Triggers an event, which must be accepted. */
  async trigger(
    channels: readonly string[],
    data = '{}',
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<Answer> {
    const answer = await this.ask('POST', '/events', { body: { name: 'asked', channels, data, ...more } });
    expects('the answer to a trigger', answer.status, 200);
    return answer;
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
