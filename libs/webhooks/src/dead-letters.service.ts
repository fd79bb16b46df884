import type { DeadJobCounts, JobStore } from 'rookery/jobs';
import { type DeadLetter, deadLetterOf, deadLetterCursor, type FreshTries } from './dead-letter.js';
import { isStorable } from '#common';
import { stateOf } from './webhook-delivery.js';
import type { WebhookSender } from './webhook-sender.js';

/** The number of letters resent in one step. */
const batch = 100;

/** Lists and resends the webhooks of an owner (an app or an instance) that were given up. */
export class DeadLettersService {
  /**
   * @param tries the tries of a webhook created at `now`, in epoch milliseconds
   */
  constructor(
    private readonly jobs: JobStore,
    private readonly sender: Pick<WebhookSender, 'wake'>,
    private readonly tries: (now: number) => FreshTries,
  ) {}

  /** The undelivered webhooks of the whole queue, across all owners. */
  async backlog(): Promise<{ readonly webhooks: number; readonly oldestDueAt?: number }> {
    const [webhooks, { oldestDueAt }] = await Promise.all([this.jobs.size(), this.jobs.backlog(Date.now())]);
    return { webhooks, ...(oldestDueAt !== undefined && { oldestDueAt }) };
  }

  /** Returns at most `limit` letters after a place, oldest first. */
  async list(owner: string, after: string, limit: number): Promise<readonly DeadLetter[]> {
    return (await this.jobs.dead(owner, after, limit)).map(deadLetterOf);
  }

  /** Returns at most `limit` letters before a place, newest first; an empty place begins at the latest. */
  async latest(owner: string, before: string, limit: number): Promise<readonly DeadLetter[]> {
    return (await this.jobs.latestDead(owner, before, limit)).map(deadLetterOf);
  }

  counts(owner: string): Promise<DeadJobCounts> {
    return this.jobs.deadCounts(owner);
  }

  /** Resends one letter. Returns whether it existed. */
  async resend(owner: string, id: string): Promise<boolean> {
    return isStorable(id) && (await this.resendSome(owner, [id])) > 0;
  }

  /** Resends all letters that are dead now, and returns how many. Letters that die again meanwhile stay. */
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
      after = deadLetterCursor(last);
    }
  }

  private async resendSome(owner: string, ids: readonly string[]): Promise<number> {
    const now = Date.now();
    const { retryDelaysMs, expiresAt } = this.tries(now);
    const resent = await this.jobs.resend(owner, ids, { dueAt: now, state: stateOf({ retryDelaysMs, expiresAt }) });
    if (resent > 0) this.sender.wake();
    return resent;
  }
}
