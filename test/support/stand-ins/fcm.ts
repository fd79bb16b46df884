import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FcmCredentials } from 'rookery/push-device';
import { verifiedJwt, type Jwt } from './jwt.js';
import { Script } from './script.js';
import { serve, type HttpAnswer, type Served, type Taken } from './serve.js';

/** One answer of the stand-in; see {@link fcmError} for Google's error bodies. */
export type FcmAnswer = HttpAnswer;

export interface ReceivedFcm {
  readonly token: string;
  /** When, as `performance.now()` tells. */
  readonly at: number;
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
  /** Whether it speaks HTTP/2 as Google does, besides HTTP/1.1. @default true */
  readonly http2?: boolean;
}

/** The body of one of Google's errors (beams-wire §11.2). */
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
  private readonly keys = (sharedKeys ??= generateKeyPairSync('rsa', { modulusLength: 2048 }));
  private readonly tokenScript = new Script<FcmAnswer | undefined>(undefined);
  private readonly valid = new Set<string>();
  private served?: Served;

  private constructor(private readonly options: StandInFcmOptions) {
    super({ status: 200 });
  }

  static async start(options: StandInFcmOptions = {}): Promise<StandInFcm> {
    const standIn = new StandInFcm(options);
    standIn.served = await serve((request) => standIn.take(request), { http2: true, ...options });
    return standIn;
  }

  get url(): string {
    return this.served?.url ?? '';
  }

  get openConnections(): number {
    return this.served?.sockets.size ?? 0;
  }

  async close(): Promise<void> {
    await this.served?.close();
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

  private take(request: Taken): void {
    if (request.path === '/token') this.giveToken(request);
    else this.takeMessage(request);
  }

  private giveToken(request: Taken): void {
    this.tokenRequests++;
    const form = new URLSearchParams(request.body.toString());
    const scripted = this.tokenScript.next('');
    if (scripted) return request.answer(scripted);
    const jwt = verifiedJwt(form.get('assertion') ?? '', 'RS256', this.keys.publicKey);
    const granted = form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    if (!jwt || !granted) return request.answer({ status: 400, body: { error: 'invalid_grant' } });
    this.assertions.push(jwt);
    const token = `ya29.${this.tokenRequests}`;
    this.valid.add(token);
    const expires = this.options.expiresInSeconds ?? 3599;
    request.answer({ status: 200, body: { access_token: token, expires_in: expires, token_type: 'Bearer' } });
  }

  private takeMessage(request: Taken): void {
    const bearer = request.headers.authorization?.replace('Bearer ', '') ?? '';
    if (!this.valid.has(bearer)) return request.answer(fcmError(401, 'UNAUTHENTICATED'));
    if (request.path !== '/v1/projects/rookery-tests/messages:send')
      return request.answer(fcmError(403, 'PERMISSION_DENIED'));
    if (!(this.options.record ?? true)) return this.respond(request, this.next(''));
    const { message, validate_only: validateOnly } = JSON.parse(request.body.toString());
    const answer = this.next(String(message.token));
    if ('status' in answer)
      this.received.push({
        token: String(message.token),
        at: performance.now(),
        headers: request.headers,
        message,
        validateOnly,
      });
    this.respond(request, answer);
  }

  private respond(request: Taken, answer: FcmAnswer): void {
    if ('status' in answer && answer.status === 200) {
      this.count++;
      answer = { ...answer, body: { name: `projects/rookery-tests/messages/${this.count}` } };
    }
    request.answer(answer);
  }
}

/** Starts Google's stand-in; close it when done. */
export const standInFcm = (options?: StandInFcmOptions): Promise<StandInFcm> => StandInFcm.start(options);
