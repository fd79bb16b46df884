import { Logger } from '@nestjs/common';
import type { FetchedAnswer } from '#common';
import type { Notification } from '../push.gateway.js';

/** Limits the log lines per publish, because any client can register endpoints. */
const maxOriginsLogged = 10;

/** The text of an answer is untrusted, too. */
const longestText = 200;

/** Logs, once per push service, that it refuses the headers or the VAPID keys of a publish's instance. */
export class Refusals {
  private readonly logger = new Logger('WebPushGateway');
  private readonly origins = new Set<string>();

  constructor(private readonly notification: Notification) {}

  note(origin: string, answer: FetchedAnswer): void {
    const { status } = answer;
    if (status !== 400 && status !== 401 && status !== 403) return;
    if (this.origins.size >= maxOriginsLogged || this.origins.has(origin)) return;
    this.origins.add(origin);
    const { publishId, instance } = this.notification;
    const fault =
      status === 400
        ? `it refuses a header of the publish, or the VAPID keys or subject of instance ${instance.id}${saidIn(answer)}`
        : `the VAPID keys or subject of instance ${instance.id} are wrong, or not the ones with which its browsers subscribed`;
    this.logger.warn(`${origin} answers ${status} to ${publishId}: ${fault}`);
  }
}

/** What the push service says about a 400: Windows in a header, others in the body. */
function saidIn({ headers, body }: FetchedAnswer): string {
  const text = String(headers['x-wns-error-description'] ?? body);
  return text === '' ? '' : `; it says ${JSON.stringify(text.slice(0, longestText))}`;
}
