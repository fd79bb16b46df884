import { Injectable } from '@nestjs/common';
import { type NewReceipt, pageOf, ReceiptRepository, type UserReceipt } from 'rookery/channels';
import { DocumentStore, path } from '../store/document.store.js';
import type { Transaction } from '../store/transaction.js';

const ofEvent = (appId: string, receipt: string) => path('receipts', appId, receipt);

/** A document for each event, with all its users, which the store removes when it expires. */
@Injectable()
export class StoredReceiptRepository extends ReceiptRepository {
  constructor(private readonly store: DocumentStore) {
    super();
  }

  add(receipts: readonly NewReceipt[], maxUsers: number): Promise<readonly boolean[]> {
    return this.store.transact(async (documents) => {
      const news: boolean[] = [];
      for (const each of receipts) news.push(await addTo(documents, each, maxUsers));
      return news;
    });
  }

  async find(appId: string, receipt: string, limit: number, after?: string): Promise<readonly UserReceipt[]> {
    const event = await this.store.read<readonly UserReceipt[]>(ofEvent(appId, receipt));
    return pageOf(event?.value ?? [], limit, after);
  }
}

async function addTo(documents: Transaction, added: NewReceipt, maxUsers: number): Promise<boolean> {
  const { appId, receipt, userId, isShown, at, keepMs } = added;
  const id = ofEvent(appId, receipt);
  const users = (await documents.get<readonly UserReceipt[]>(id)) ?? [];
  const known = users.find((user) => user.userId === userId);
  if (known ? !isShown || known.shownAt !== undefined : users.length >= maxUsers) return false;
  const user: UserReceipt = { receivedAt: at, ...known, userId, ...(isShown && { shownAt: at }) };
  documents.set(id, [...users.filter((each) => each !== known), user], Date.now() + keepMs);
  return true;
}
