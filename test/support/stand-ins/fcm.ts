import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { FcmCredentials } from 'rookery/push-device';
import { localhost } from '../tls/index.js';
import { verifiedJwt, type Jwt } from './jwt.js';
import { listen } from './listen.js';
import { Script } from './script.js';

/** One answer of the stand-in; see {@link fcmError} for Google's error bodies. */
export type FcmAnswer =
  | {
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Record<string, string>;
      readonly delayMs?: number;
    }
  | { readonly hangUp: true }
  | { readonly silence: true };

export interface ReceivedFcm {
  readonly token: string;
  readonly headers: IncomingHttpHeaders;
  readonly message: any;
  readonly validateOnly?: boolean;
}

export interface StandInFcmOptions {
  /** Keep what was received; without it only `count` tells. @default true */
  readonly record?: boolean;
  /** Waits before each answer, as a network would. @default 0 */
  readonly delayMs?: number;
  /** `expires_in` of access tokens. @default 3599 */
  readonly expiresInSeconds?: number;
}

/** The body of one of Google's errors (§11.2). */
export function fcmError(
  code: number,
  status: string,
  details: { readonly errorCode?: string; readonly violates?: string; readonly message?: string } = {},
): FcmAnswer {
  const type = 'type.googleapis.com/google';
  return {
    status: code,
    body: {
      error: {
        code,
        message: details.message ?? 'Something is wrong.',
        status,
        details: [
          ...(details.errorCode ? [{ '@type': `${type}.firebase.fcm.v1.FcmError`, errorCode: details.errorCode }] : []),
          ...(details.violates
            ? [
                {
                  '@type': `${type}.rpc.BadRequest`,
                  fieldViolations: [{ field: details.violates, description: 'Bad.' }],
                },
              ]
            : []),
        ],
      },
    },
  };
}

/** A key of 2048 bits takes a while, so all stand-ins of a process share it. */
let sharedKeys: KeyPairKeyObjectResult | undefined;

/** Google's FCM v1 and its OAuth token endpoint on localhost: assertions and access tokens are checked. */
export class StandInFcm extends Script<FcmAnswer> {
  readonly received: ReceivedFcm[] = [];
  /** Messages answered 200. */
  count = 0;
  /** The verified assertions that asked for access tokens, and all that asked. */
  readonly assertions: Jwt[] = [];
  tokenRequests = 0;
  url = '';
  close: () => Promise<void> = async () => {};
  private readonly keys = (sharedKeys ??= generateKeyPairSync('rsa', { modulusLength: 2048 }));
  private readonly tokenScript = new Script<FcmAnswer | undefined>(undefined);
  private readonly valid = new Set<string>();
  private sockets: ReadonlySet<Socket> = new Set();

  private constructor(private readonly options: StandInFcmOptions) {
    super({ status: 200 });
  }

  static async start(options: StandInFcmOptions = {}): Promise<StandInFcm> {
    const standIn = new StandInFcm(options);
    const server = createServer({ ...localhost, keepAliveTimeout: 60_000 }, (request, response) =>
      standIn.take(request, response),
    );
    const { port, close, sockets } = await listen(server);
    standIn.url = `https://localhost:${port}`;
    standIn.close = close;
    standIn.sockets = sockets;
    return standIn;
  }

  get openConnections(): number {
    return this.sockets.size;
  }

  /** What to give an instance so that it sends here. */
  get credentials(): FcmCredentials {
    return {
      endpoint: this.url,
      serviceAccount: {
        project_id: 'rookery-tests',
        client_email: 'sender@rookery-tests.iam.gserviceaccount.com',
        private_key: this.keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        private_key_id: 'key-1',
        token_uri: `${this.url}/token`,
      },
    };
  }

  /** All access tokens given out so far are answered 401 from now on. */
  expireTokens(): void {
    this.valid.clear();
  }

  /** What the token endpoint answers in place of a token, in turn; `undefined` gives one. */
  answerTokenRequests(...answers: (FcmAnswer | undefined)[]): void {
    this.tokenScript.answerAll(...answers);
  }

  private take(request: IncomingMessage, response: ServerResponse): void {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      if (request.url === '/token') this.giveToken(body, response);
      else this.takeMessage(request, body, response);
    });
  }

  private giveToken(body: string, response: ServerResponse): void {
    this.tokenRequests++;
    const form = new URLSearchParams(body);
    const scripted = this.tokenScript.next('');
    if (scripted) return send(response, scripted);
    const jwt = verifiedJwt(form.get('assertion') ?? '', 'RS256', this.keys.publicKey);
    const granted = form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    if (!jwt || !granted) return send(response, { status: 400, body: { error: 'invalid_grant' } });
    this.assertions.push(jwt);
    const token = `ya29.${this.tokenRequests}`;
    this.valid.add(token);
    const expires = this.options.expiresInSeconds ?? 3599;
    send(response, { status: 200, body: { access_token: token, expires_in: expires, token_type: 'Bearer' } });
  }

  private takeMessage(request: IncomingMessage, body: string, response: ServerResponse): void {
    const bearer = request.headers.authorization?.replace('Bearer ', '') ?? '';
    if (!this.valid.has(bearer)) return send(response, fcmError(401, 'UNAUTHENTICATED'));
    if (request.url !== '/v1/projects/rookery-tests/messages:send')
      return send(response, fcmError(403, 'PERMISSION_DENIED'));
    const { message, validate_only: validateOnly } = JSON.parse(body) as { message: any; validate_only?: boolean };
    const answer = this.next(String(message.token));
    if ((this.options.record ?? true) && 'status' in answer)
      this.received.push({ token: String(message.token), headers: request.headers, message, validateOnly });
    this.respond(response, answer);
  }

  private respond(response: ServerResponse, answer: FcmAnswer): void {
    if ('status' in answer && answer.status === 200) {
      this.count++;
      answer = { ...answer, body: { name: `projects/rookery-tests/messages/${this.count}` } };
    }
    const delayMs = ('delayMs' in answer && answer.delayMs) || this.options.delayMs || 0;
    if (delayMs > 0) setTimeout(() => send(response, answer), delayMs);
    else send(response, answer);
  }
}

function send(response: ServerResponse, answer: FcmAnswer): void {
  if ('silence' in answer) return;
  if ('hangUp' in answer) return void response.socket?.destroy();
  const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...answer.headers,
  });
  response.end(body);
}

/** Starts Google's stand-in; close it when done. */
export const standInFcm = (options?: StandInFcmOptions): Promise<StandInFcm> => StandInFcm.start(options);
