import { Injectable } from '@nestjs/common';
import { type NewReceipt, pageOf, ReceiptRepository, type UserReceipt } from 'rookery/channels';
import { nameIn, stored } from '../shared/names.js';
import { SharedDatabase } from '../shared/shared-database.js';

interface Row {
  readonly user_id: string;
  readonly received_at: string;
  readonly shown_at: string | null;
}

/** In PostgreSQL, for all processes. A receipt whose answer is lost is added again, and then is no news. */
@Injectable()
export class PostgresReceiptRepository extends ReceiptRepository {
  constructor(private readonly shared: SharedDatabase) {
    super();
  }

  async add(receipts: readonly NewReceipt[], maxUsers: number): Promise<readonly boolean[]> {
    const news = new Map<NewReceipt, boolean>();
    const events = new Map<string, NewReceipt[]>();
    for (const each of receipts) {
      const event = JSON.stringify([each.appId, each.receipt]);
      const ofEvent = events.get(event);
      if (ofEvent) ofEvent.push(each);
      else events.set(event, [each]);
    }
    await Promise.all(Array.from(events.values(), (ofEvent) => this.addTo(ofEvent, maxUsers, news)));
    return receipts.map((each) => news.get(each)!);
  }

  async find(appId: string, receipt: string, limit: number, after?: string): Promise<readonly UserReceipt[]> {
    const rows = await this.shared.read<Row>(
      `SELECT r.user_id, r.received_at, r.shown_at FROM rookery_receipts r JOIN rookery_receipt_events e
         ON e.app_id = r.app_id AND e.receipt = r.receipt AND e.expires_at > rookery_clock() / 1000
       WHERE r.app_id = ? AND r.receipt = ?`,
      [stored(appId), stored(receipt)],
    );
    return pageOf(rows.map(receiptOf), limit, after);
  }

  private async addTo(
    receipts: readonly NewReceipt[],
    maxUsers: number,
    news: Map<NewReceipt, boolean>,
  ): Promise<void> {
    const { appId, receipt, keepMs } = receipts[0]!;
    const [row] = await this.shared.insist<{ readonly news: readonly boolean[] }>(
      'SELECT news FROM rookery_add_receipts(?, ?, ?, ?, ?, ?, ?)',
      [
        stored(appId),
        stored(receipt),
        Math.ceil(keepMs),
        maxUsers,
        receipts.map(({ userId }) => stored(userId)),
        receipts.map(({ at }) => at),
        receipts.map(({ isShown }) => isShown),
      ],
    );
    for (const [n, each] of receipts.entries()) news.set(each, row!.news[n]!);
  }
}

const receiptOf = ({ user_id, received_at, shown_at }: Row): UserReceipt => ({
  userId: nameIn(user_id),
  receivedAt: Number(received_at),
  ...(shown_at !== null && { shownAt: Number(shown_at) }),
});
