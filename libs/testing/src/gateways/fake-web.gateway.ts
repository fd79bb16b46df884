import { type Notification, type Outcome, webMessage, webPushOutcome } from 'rookery/internal/publish';
import { type AnswerDetails, FakeGateway, type Message } from './fake.gateway.js';

/** The statuses that browsers' push services answer (RFC 8030 §5; beams-wire §11.3). */
export type WebPushStatus = 201 | 202 | 400 | 401 | 403 | 404 | 410 | 413 | 429 | 500 | 502 | 503 | 504;

/** The push services of the browsers, in this process. */
export class FakeWebGateway extends FakeGateway<WebPushStatus> {
  override readonly platform = 'web';

  protected messageOf(notification: Notification): Message {
    return webMessage(notification, 0);
  }

  protected outcomeOf(word: WebPushStatus | 'delivered', { retryAfterSeconds, timestamp }: AnswerDetails): Outcome {
    const status = word === 'delivered' ? 201 : word;
    const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    return webPushOutcome({ status, headers, body: JSON.stringify({ timestamp }) }, Date.now());
  }
}
