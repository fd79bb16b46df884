import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import {
  createSecureServer,
  constants,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { ApnsCredentials } from 'rookery/push-device';
import { localhost } from '../tls/index.js';
import { StandInChannels } from './apns-channels.js';
import { verifiedJwt, type Jwt } from './jwt.js';
import { listen } from './listen.js';
import { Script } from './script.js';

/** One answer of the stand-in. */
export type ApnsAnswer =
  | {
      readonly status: number;
      readonly reason?: string;
      readonly timestamp?: number;
      readonly headers?: Record<string, string>;
      readonly delayMs?: number;
    }
  /** GOAWAY: this request and the later ones of its connection are not taken, the earlier ones are answered. */
  | { readonly goaway: true; readonly errorCode?: number }
  /** The connection is cut without a word. */
  | { readonly hangUp: true }
  /** No answer ever comes. */
  | { readonly silence: true };

export interface ReceivedApns {
  readonly token: string;
  readonly headers: IncomingHttpHeaders;
  readonly payload: any;
  readonly providerToken: Jwt;
  /** Counts connections from 0. */
  readonly connection: number;
}

export interface StandInApnsOptions {
  /** What SETTINGS allow. @default 1000 */
  readonly maxConcurrentStreams?: number;
  /** Keep what was received; without it only `count` tells. @default true */
  readonly record?: boolean;
  /** Waits before each answer, as a network would. @default 0 */
  readonly delayMs?: number;
  /** What time it is for the age of provider tokens, in epoch ms. @default Date.now */
  readonly now?: () => number;
  /** The other environment: it accepts the same key. */
  readonly beside?: StandInApns;
}

/**
 * Apple's gateway on localhost: HTTP/2 over TLS, provider tokens checked (signature, key id, team, no older than an
 * hour), answers by script. Broadcast channels are managed at the same port; scripted answers for their paths, such as
 * `/1/apps/com.example.app/channels`, come before theirs.
 */
export class StandInApns extends Script<ApnsAnswer> {
  readonly received: ReceivedApns[] = [];
  readonly channels = new StandInChannels();
  /** Requests answered 200. */
  count = 0;
  /** Connections ever made, and those open now. */
  connections = 0;
  openConnections = 0;
  /** The most streams that were open at once on any connection. */
  maxStreams = 0;
  /** How many streams each connection had open before its first answer, at most. */
  streamsBeforeFirstAnswer = 0;
  readonly providerTokens = new Map<string, Jwt | undefined>();
  private readonly keys: KeyPairKeyObjectResult;
  private readonly sessions = new Set<Peer>();

  private constructor(private readonly options: StandInApnsOptions) {
    super({ status: 200 });
    this.keys = options.beside?.keys ?? generateKeyPairSync('ec', { namedCurve: 'P-256' });
  }

  static async start(options: StandInApnsOptions = {}): Promise<StandInApns> {
    const standIn = new StandInApns(options);
    const server = createSecureServer({
      ...localhost,
      settings: { maxConcurrentStreams: options.maxConcurrentStreams ?? 1000 },
    });
    server.on('session', (session) => standIn.welcome(session));
    server.on('sessionError', () => {});
    const { port, close } = await listen(server);
    standIn.url = `https://localhost:${port}`;
    standIn.close = close;
    return standIn;
  }

  url = '';
  close: () => Promise<void> = async () => {};

  /** What to give an instance so that it sends here. */
  get credentials(): ApnsCredentials {
    const key = this.keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { key, keyId: 'ABC123DEFG', teamId: 'DEF123GHIJ', endpoint: this.url };
  }

  /** GOAWAY on all connections: what has arrived is answered, what is under way is not. */
  goaway(): void {
    for (const peer of this.sessions) peer.goaway(peer.lastStreamId);
  }

  private welcome(session: ServerHttp2Session): void {
    const peer = new Peer(session, this.connections++);
    this.openConnections++;
    this.sessions.add(peer);
    session.on('error', () => {});
    session.on('close', () => {
      this.openConnections--;
      this.sessions.delete(peer);
    });
    session.on('stream', (stream, headers) => this.take(peer, stream, headers));
  }

  private take(peer: Peer, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    stream.on('error', () => {});
    if (peer.refuses(stream.id ?? 0)) return;
    peer.opened(stream);
    this.maxStreams = Math.max(this.maxStreams, peer.open);
    if (!peer.answered) this.streamsBeforeFirstAnswer = Math.max(this.streamsBeforeFirstAnswer, peer.open);
    let body = '';
    if (this.options.record ?? true) stream.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    else stream.resume();
    stream.on('end', () => {
      // A GOAWAY may have come between the headers and the body.
      if (!peer.refuses(stream.id ?? 0)) this.answerTo(peer, stream, headers, body);
    });
  }

  private answerTo(peer: Peer, stream: ServerHttp2Stream, headers: IncomingHttpHeaders, body: string): void {
    const path = String(headers[':path']);
    const isOfChannels = StandInChannels.owns(path);
    const token = isOfChannels ? path : path.slice('/3/device/'.length);
    const refusal = this.refusalOf(headers);
    const answer = refusal ?? this.next(token);
    if ('silence' in answer) return;
    if ('hangUp' in answer) return peer.session.destroy();
    if ('goaway' in answer) {
      // node:http2 cannot say that it took no stream at all, so the first of a connection is refused by itself.
      if (stream.id === 1 && !stream.destroyed) stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return peer.goaway((stream.id ?? 0) - 2, answer.errorCode);
    }
    if (isOfChannels && answer.status === 200) return this.respondOfChannels(peer, stream, headers, body);
    if (!refusal && !isOfChannels && (this.options.record ?? true))
      this.received.push(this.record(peer, token, headers, body));
    const delayMs = answer.delayMs ?? this.options.delayMs ?? 0;
    if (delayMs > 0) setTimeout(() => this.respond(peer, stream, answer), delayMs);
    else this.respond(peer, stream, answer);
  }

  private respondOfChannels(peer: Peer, stream: ServerHttp2Stream, headers: IncomingHttpHeaders, text: string): void {
    const { status, headers: more, body } = this.channels.answer(headers, text);
    peer.answered = true;
    stream.respond({ ':status': status, ...more }, { endStream: body === undefined });
    if (body) stream.end(JSON.stringify(body));
  }

  private respond(peer: Peer, stream: ServerHttp2Stream, answer: Extract<ApnsAnswer, { status: number }>): void {
    if (stream.destroyed || stream.closed) return;
    peer.answered = true;
    if (answer.status === 200) {
      this.count++;
      stream.respond({ ':status': 200, 'apns-id': 'EC1BF194-B3B2-424A-89A9-5A918A6E6B5D' }, { endStream: true });
      return;
    }
    stream.respond({ ':status': answer.status, ...answer.headers });
    stream.end(JSON.stringify({ reason: answer.reason, timestamp: answer.timestamp }));
  }

  private record(peer: Peer, token: string, headers: IncomingHttpHeaders, body: string): ReceivedApns {
    const providerToken = this.jwtOf(headers) as Jwt;
    return { token, headers, payload: JSON.parse(body), providerToken, connection: peer.number };
  }

  private refusalOf(headers: IncomingHttpHeaders): Extract<ApnsAnswer, { status: number }> | undefined {
    const jwt = this.jwtOf(headers);
    if (!headers.authorization) return { status: 403, reason: 'MissingProviderToken' };
    if (jwt?.header.kid !== 'ABC123DEFG' || jwt.claims.iss !== 'DEF123GHIJ')
      return { status: 403, reason: 'InvalidProviderToken' };
    const ageSeconds = (this.options.now ?? Date.now)() / 1000 - Number(jwt.claims.iat);
    return ageSeconds > 3600 ? { status: 403, reason: 'ExpiredProviderToken' } : undefined;
  }

  /** Checked once per token, as the real service can afford more. */
  private jwtOf(headers: IncomingHttpHeaders): Jwt | undefined {
    const text = String(headers.authorization).replace(/^bearer /i, '');
    if (!this.providerTokens.has(text)) this.providerTokens.set(text, verifiedJwt(text, 'ES256', this.keys.publicKey));
    return this.providerTokens.get(text);
  }
}

/** One connection to the stand-in. */
class Peer {
  open = 0;
  answered = false;
  lastStreamId = 0;
  private lastTaken = Infinity;

  constructor(
    readonly session: ServerHttp2Session,
    readonly number: number,
  ) {}

  opened(stream: ServerHttp2Stream): void {
    this.open++;
    this.lastStreamId = Math.max(this.lastStreamId, stream.id ?? 0);
    stream.on('close', () => {
      this.open--;
      if (this.open === 0 && this.lastTaken < Infinity) this.session.close();
    });
  }

  refuses(streamId: number): boolean {
    return streamId > this.lastTaken;
  }

  goaway(lastStreamId: number, errorCode: number = constants.NGHTTP2_NO_ERROR): void {
    if (this.lastTaken < Infinity || this.session.destroyed) return;
    this.lastTaken = Math.max(0, lastStreamId);
    this.session.goaway(errorCode, this.lastTaken, Buffer.from('{"reason":"Shutdown"}'));
  }
}

/** Starts Apple's stand-in; close it when done. */
export const standInApns = (options?: StandInApnsOptions): Promise<StandInApns> => StandInApns.start(options);
