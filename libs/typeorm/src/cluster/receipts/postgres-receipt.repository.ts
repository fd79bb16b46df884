import { Injectable } from '@nestjs/common';
import { type NewReceipt, pageOf, ReceiptRepository, type UserReceipt } from 'rookery/channels';
import { nameIn, stored } from '../shared/names.js';
import { SharedDatabase } from '../shared/shared-database.js';

/** Receipts survive a crash: no lease rebuilds them. */
const tables = [
  `CREATE TABLE IF NOT EXISTS rookery_receipt_events (
     app_id text COLLATE "C", receipt text COLLATE "C", expires_at bigint NOT NULL, users int NOT NULL,
     PRIMARY KEY (app_id, receipt)) WITH (fillfactor = 70)`,
  'CREATE INDEX IF NOT EXISTS idx_rookery_receipt_events_by_end ON rookery_receipt_events (expires_at)',
  `CREATE TABLE IF NOT EXISTS rookery_receipts (
     app_id text COLLATE "C", receipt text COLLATE "C", user_id text COLLATE "C", received_at bigint NOT NULL,
     shown_at bigint, PRIMARY KEY (app_id, receipt, user_id),
     FOREIGN KEY (app_id, receipt) REFERENCES rookery_receipt_events ON DELETE CASCADE) WITH (fillfactor = 70)`,
];

const functions = [
  // The receipts of one event: locks its row, and answers for each whether it is news.
  `CREATE OR REPLACE FUNCTION rookery_add_receipts(_app text, _receipt text, _keep_ms bigint, _most int, _users text[],
     _at bigint[], _shown boolean[], OUT news boolean[]) LANGUAGE plpgsql AS $$
   DECLARE
     known rookery_receipts;
     now_ms bigint := rookery_clock() / 1000;
     total int;
     is_news boolean;
   BEGIN
     DELETE FROM rookery_receipt_events e WHERE e.app_id = _app AND e.receipt = _receipt AND e.expires_at <= now_ms;
     INSERT INTO rookery_receipt_events AS e VALUES (_app, _receipt, now_ms + _keep_ms, 0)
     ON CONFLICT (app_id, receipt) DO UPDATE SET expires_at = excluded.expires_at RETURNING e.users INTO total;
     FOR i IN 1 .. cardinality(_users) LOOP
       SELECT * INTO known FROM rookery_receipts r
       WHERE r.app_id = _app AND r.receipt = _receipt AND r.user_id = _users[i];
       is_news := CASE WHEN FOUND THEN _shown[i] AND known.shown_at IS NULL ELSE total < _most END;
       IF is_news THEN
         INSERT INTO rookery_receipts
         VALUES (_app, _receipt, _users[i], _at[i], CASE WHEN _shown[i] THEN _at[i] END)
         ON CONFLICT (app_id, receipt, user_id) DO UPDATE SET shown_at = excluded.shown_at;
         total := total + CASE WHEN known.user_id IS NULL THEN 1 ELSE 0 END;
       END IF;
       news[i] := is_news;
     END LOOP;
     UPDATE rookery_receipt_events e SET users = total
     WHERE e.app_id = _app AND e.receipt = _receipt;
   END $$`,
];

interface Row {
  readonly user_id: string;
  readonly received_at: string;
  readonly shown_at: string | null;
}

/** In PostgreSQL, for all processes. A receipt whose answer is lost is added again, and then is no news. */
@Injectable()
export class PostgresReceiptRepository extends ReceiptRepository {
  static readonly port = ReceiptRepository;
  static readonly schema = {
    tables,
    functions,
    sweep: 'DELETE FROM rookery_receipt_events WHERE expires_at <= rookery_clock() / 1000',
  };

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
