import { type DeadLetter, deadLetterPlace, type FreshTries } from './dead-letter.js';
import type { WebhookSender } from './webhook-sender.js';
import type { WebhookBacklog, WebhookOutbox } from './webhook.outbox.js';

/** Letters that are sent again in one step. */
const batch = 100;

/** The webhooks of an owner, an app or an instance, that were given up: what a person can do about them. */
export class DeadLettersService {
  /** @param tries those of a webhook that is new at that time, in epoch milliseconds */
  constructor(
    private readonly outbox: WebhookOutbox,
    private readonly sender: Pick<WebhookSender, 'wake'>,
    private readonly tries: (now: number) => FreshTries,
  ) {}

  /** What is not delivered yet of the whole queue, whoever's it is. */
  async backlog(): Promise<WebhookBacklog> {
    return this.outbox.backlog(Date.now());
  }

  /** At most `limit` of them after a place, the oldest first. */
  async list(owner: string, after: string, limit: number): Promise<readonly DeadLetter[]> {
    return this.outbox.deadLetters(owner, after, limit);
  }

  /** Sends one again. Answers whether it was there. */
  async resend(owner: string, id: string): Promise<boolean> {
    return (await this.resendSome(owner, [id])) > 0;
  }

  /** Sends all again that are there by now, and answers how many. Those that die once more meanwhile stay. */
  async resendAll(owner: string): Promise<number> {
    const now = Date.now();
    let resent = 0;
    for (let after = ''; ;) {
      const letters = await this.list(owner, after, batch);
      const dead = letters.filter(({ diedAt }) => diedAt <= now);
      if (dead.length > 0)
        resent += await this.resendSome(
          owner,
          dead.map(({ delivery }) => delivery.id),
        );
      const last = dead.at(-1);
      if (dead.length < batch || !last) return resent;
      after = deadLetterPlace(last);
    }
  }

  private async resendSome(owner: string, ids: readonly string[]): Promise<number> {
    const resent = await this.outbox.resend(owner, ids, this.tries(Date.now()));
    if (resent > 0) this.sender.wake();
    return resent;
  }
}
