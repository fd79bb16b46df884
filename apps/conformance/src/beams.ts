import { createHmac, randomUUID } from 'node:crypto';
import { Skipped } from './case.js';
import type { Answer } from './subject.js';

/** A push instance of the server that is judged. */
export interface BeamsTarget {
  readonly url: string;
  readonly instanceId: string;
  readonly secretKey: string;
}

export interface BeamsRequest {
  readonly body: unknown;
  /** In place of the instance's own. */
  readonly secretKey: string;
  readonly instanceId: string;
  /** Of a user. */
  readonly token: string;
  /** Undefined: not sent. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** What cases ask of the APIs of Beams. */
export class Beams {
  constructor(private readonly target: BeamsTarget) {}

  publish(kind: string, body: unknown, more: Partial<BeamsRequest> = {}): Promise<Answer> {
    const authorization = `Bearer ${more.secretKey ?? this.target.secretKey}`;
    const headers = { authorization, ...more.headers };
    return this.ask('POST', 'publish_api', `publishes${kind && `/${kind}`}`, { ...more, body, headers });
  }

  /** A request of the device API; the path follows `devices/`. */
  device(method: string, path: string, more: Partial<BeamsRequest> = {}): Promise<Answer> {
    const headers = { ...(more.token !== undefined && { authorization: `Bearer ${more.token}` }), ...more.headers };
    return this.ask(method, 'device_api', `devices/${path}`, { ...more, headers });
  }

  removeUser(user: string): Promise<Answer> {
    const headers = { authorization: `Bearer ${this.target.secretKey}` };
    return this.ask('DELETE', 'customer_api', `users/${encodeURIComponent(user)}`, { headers });
  }

  async preflight(platform: string, method: string, header: string) {
    const { status, headers } = await fetch(this.address('device_api', `devices/${platform}`), {
      method: 'OPTIONS',
      headers: {
        origin: 'https://page.example',
        'access-control-request-method': method,
        'access-control-request-headers': header,
      },
    });
    return { status, headers: Object.fromEntries(headers) };
  }

  /** Registers an Android device. @throws Skipped where the instance has no credentials, or asks the gateway about tokens */
  async register(body: unknown): Promise<Answer> {
    const answer = await this.device('POST', 'fcm', { body });
    if (answer.status === 401 && /credentials/.test(answer.text))
      throw new Skipped('the instance registers no made-up devices of FCM');
    return answer;
  }

  /** Registers one, and answers its id. */
  async registered(): Promise<string> {
    const { json, status, text } = await this.register({ token: this.token() });
    if (status !== 200) throw new Error(`A device cannot be registered: ${status} ${text}`);
    return (json as { readonly id: string }).id;
  }

  /** A gateway's token that no other device has. */
  token(): string {
    return `conformance-${randomUUID()}`;
  }

  /** What an application's server signs for its user. */
  userToken(
    user: string,
    {
      secretKey = this.target.secretKey,
      ...claims
    }: Readonly<Record<string, unknown>> & { readonly secretKey?: string } = {},
  ): string {
    const payload = {
      iss: `https://${this.target.instanceId}.pushnotifications.pusher.com`,
      sub: user,
      exp: Math.floor(Date.now() / 1000) + 3600,
      ...claims,
    };
    const signed = `${base64url('{"alg":"HS256","typ":"JWT"}')}.${base64url(JSON.stringify(payload))}`;
    return `${signed}.${createHmac('sha256', secretKey).update(signed).digest('base64url')}`;
  }

  private async ask(method: string, api: string, path: string, asked: Partial<BeamsRequest>): Promise<Answer> {
    const { body, headers = {}, instanceId } = asked;
    const given = { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers };
    const answer = await fetch(this.address(api, path, instanceId), {
      method,
      headers: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Record<
        string,
        string
      >,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      // None.
    }
    return { status: answer.status, text, json };
  }

  private address(api: string, path: string, instanceId = this.target.instanceId): string {
    return `${this.target.url}/${api}/v1/instances/${instanceId}/${path}`;
  }
}
