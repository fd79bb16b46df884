import { createDecipheriv, createECDH, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Mismatch } from './case.js';
import { Changes } from './changes.js';

/** A publish goes through a queue. */
const patienceMs = 15_000;

/** The push service of browsers that the suite makes up: what the server pushes to them arrives here. */
export class PushService {
  private readonly browsers = new Map<string, Browser>();

  private constructor(
    private readonly server: Server,
    private readonly url: string,
  ) {}

  /** @param url by which the server reaches the suite, which listens on its port; with port 0, on a free one */
  static async listen(url: string): Promise<PushService> {
    const server = createServer();
    const given = new URL(url);
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(Number(given.port || 80), given.hostname, resolve),
    );
    given.port = String((server.address() as AddressInfo).port);
    const service = new PushService(server, given.href.replace(/\/+$/, ''));
    server.on('request', (request, response) => {
      void service.take(request).then((status) => response.writeHead(status).end());
    });
    return service;
  }

  /** A browser that has subscribed. */
  browser(): Browser {
    const id = randomUUID();
    const browser = new Browser(`${this.url}/${id}`);
    this.browsers.set(`/${id}`, browser);
    return browser;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Answers 201 as a push service does, or 404 for an unknown subscription. */
  private async take(request: IncomingMessage): Promise<number> {
    const { pathname } = new URL(request.url ?? '/', this.url);
    const browser = [...this.browsers].find(([path]) => pathname.endsWith(path))?.[1];
    if (!browser) return 404;
    browser.receive(await buffer(request));
    return 201;
  }
}

/** A browser with a subscription to web pushes. */
class Browser {
  private readonly keys = createECDH('prime256v1');
  private readonly auth = randomBytes(16);
  private readonly received: string[] = [];
  private readonly changes = new Changes();

  constructor(private readonly endpoint: string) {
    this.keys.generateKeys();
  }

  /** The token that the SDK registers: its PushSubscription (push-notifications-web, `encodeSubscription`). */
  get token(): string {
    const keys = { p256dh: this.keys.getPublicKey('base64url'), auth: this.auth.toString('base64url') };
    return Buffer.from(JSON.stringify({ endpoint: this.endpoint, expirationTime: null, keys })).toString('base64');
  }

  receive(body: Buffer): void {
    this.received.push(this.decrypted(body));
    this.changes.happened();
  }

  /** Takes the next push. @throws Mismatch if none comes */
  async next(): Promise<string> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const content = this.received.shift();
      if (content !== undefined) return content;
      const left = end - performance.now();
      if (left <= 0) throw new Mismatch('a push', 'one', 'nothing');
      await this.changes.next(left);
    }
  }

  /** How many pushes have come and were not taken. */
  get count(): number {
    return this.received.length;
  }

  /** One record of aes128gcm (RFC 8188), with keys of RFC 8291. What is no such record is answered as a text that says so. */
  private decrypted(body: Buffer): string {
    try {
      const [salt, idLength] = [body.subarray(0, 16), body.readUInt8(20)];
      const [sender, record] = [body.subarray(21, 21 + idLength), body.subarray(21 + idLength)];
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.keys.getPublicKey(), sender]);
      const key = derived(this.keys.computeSecret(sender), this.auth, info, 32);
      const contentKey = derived(key, salt, 'Content-Encoding: aes128gcm\0', 16);
      const nonce = derived(key, salt, 'Content-Encoding: nonce\0', 12);
      const decipher = createDecipheriv('aes-128-gcm', contentKey, nonce).setAuthTag(record.subarray(-16));
      const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
      return padded.subarray(0, padded.lastIndexOf(2)).toString();
    } catch (error) {
      return `a push that cannot be decrypted: ${(error as Error).message}`;
    }
  }
}

const derived = (key: Buffer, salt: Buffer, info: string | Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, length));
