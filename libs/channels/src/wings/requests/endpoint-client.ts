import { Logger } from '@nestjs/common';
import { STATUS_CODES } from 'node:http';
import { FailurePauses, type FetchedAnswer, FetchFailed, isObject, SafeFetch } from '#common';
import { EndpointFailed, type Settled } from './request-error.js';

/** The longest message of an endpoint that clients get. */
const maxMessage = 1000;

const unavailable: Settled = { status: 503, message: 'Service unavailable' };

/** Makes requests to one endpoint, at most 64 at the same time: further ones wait for their turn or their timeout. */
export class EndpointClient {
  private readonly logger = new Logger('Channels');
  private readonly fetch: SafeFetch;
  private readonly pauses = new FailurePauses({ afterFailures: 5, firstMs: 1000, longestMs: 30_000 });

  /** @param name for the log */
  constructor(
    private readonly name: string,
    private readonly url: string,
    private readonly options: { readonly allowPrivateNetwork: boolean; readonly replyBytes: number },
  ) {
    const { allowPrivateNetwork, replyBytes } = options;
    // One byte more shows that a reply is too long.
    this.fetch = new SafeFetch({ allowHttp: true, allowPrivateNetwork, maxAnswerBytes: replyBytes + 1 });
  }

  /**
   * @param body JSON
   * @returns the reply, the error of a 4xx, or 503 in a pause
   * @throws EndpointFailed
   */
  async post(body: string, headers: Readonly<Record<string, string>>, timeoutMs: number): Promise<Settled> {
    const turn = this.pauses.begin();
    if (!turn) return unavailable;
    let answer: FetchedAnswer;
    try {
      answer = await this.fetch.request(this.url, { body, headers, timeoutMs });
    } catch (error) {
      const { message } = error as Error;
      const isSilent = error instanceof FetchFailed;
      if (this.pauses.ended(turn, !isSilent)) this.pause(message);
      throw new EndpointFailed(isSilent && error.reason === 'timeout' ? 504 : 502, message);
    }
    // A proxy's answer in place of the endpoint's.
    const isAway = answer.status >= 502 && answer.status <= 504;
    if (this.pauses.ended(turn, !isAway)) this.pause(`it answered ${answer.status}`);
    return this.read(answer);
  }

  /** Closes once the requests in progress have ended. */
  finish(): Promise<void> {
    return this.fetch.finish();
  }

  /** Requests in progress fail. */
  close(): Promise<void> {
    return this.fetch.close();
  }

  private read({ status, headers, body }: FetchedAnswer): Settled {
    if (status >= 400 && status < 500) {
      const message = messageIn(body, headers['content-type']) ?? STATUS_CODES[status] ?? 'Bad Request';
      return { status, message: message.slice(0, maxMessage) };
    }
    if (status < 200 || status >= 300) throw new EndpointFailed(502, `it answered ${status}`);
    const { replyBytes } = this.options;
    if (Buffer.byteLength(body) > replyBytes)
      throw new EndpointFailed(502, `its reply has more bytes than requests.replyBytes (${replyBytes})`);
    if (body === '') return { json: 'null' };
    if (jsonIn(body) === undefined) throw new EndpointFailed(502, 'its reply is not JSON');
    return { json: body };
  }

  private pause(reason: string): void {
    this.logger.warn(`Requests to ${this.name} are refused until it answers: ${reason}`);
  }
}

/** `{"message":"…"}` as of Nest, Laravel and others, or a plain text. */
function messageIn(body: string, type: unknown): string | undefined {
  const json = jsonIn(body);
  const message = isObject(json) ? json['message'] : undefined;
  if (Array.isArray(message)) return message.join('; ');
  if (typeof message === 'string' && message !== '') return message;
  return String(type).startsWith('text/plain') && body !== '' ? body : undefined;
}

/** @returns undefined for a text that is not JSON */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
