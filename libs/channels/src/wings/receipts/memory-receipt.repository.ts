import { Injectable } from '@nestjs/common';
import { FairMap } from '#common';
import { type NewReceipt, pageOf, ReceiptRepository, type UserReceipt } from './receipt.repository.js';

/** The receipts of one event. */
interface KnownEvent {
  readonly users: Map<string, UserReceipt>;
  /** By performance.now(). */
  expiresAt: number;
}

const eventBytes = 512;
const bytesOf = (userId: string): number => 192 + 2 * userId.length;

/** In memory: for one process. When it is full, the app with the most receipts forgets those of its oldest events. */
@Injectable()
export class MemoryReceiptRepository extends ReceiptRepository {
  /** By app and receipt, in the order of their first receipts. */
  private readonly events: FairMap<KnownEvent>;

  /** @param maxBytes the approximate bytes of all receipts */
  constructor(maxBytes = 64 * 1024 * 1024) {
    super();
    this.events = new FairMap(maxBytes, isOver);
  }

  add(receipts: readonly NewReceipt[], maxUsers: number): readonly boolean[] {
    return receipts.map((each) => this.addOne(each, maxUsers));
  }

  find(appId: string, receipt: string, limit: number, after?: string): readonly UserReceipt[] {
    const event = this.events.get(appId, receipt);
    return event && !isOver(event) ? pageOf([...event.users.values()], limit, after) : [];
  }

  private addOne({ appId, receipt, userId, isShown, at, keepMs }: NewReceipt, maxUsers: number): boolean {
    const event = this.open(appId, receipt);
    const { users } = event;
    event.expiresAt = performance.now() + keepMs;
    const known = users.get(userId);
    if (known ? !isShown || known.shownAt !== undefined : users.size >= maxUsers) return false;
    users.set(userId, { receivedAt: at, ...known, userId, ...(isShown && { shownAt: at }) });
    if (!known) this.events.grow(appId, receipt, bytesOf(userId));
    return true;
  }

  private open(appId: string, receipt: string): KnownEvent {
    const known = this.events.get(appId, receipt);
    if (known && !isOver(known)) return known;
    const event: KnownEvent = { users: new Map(), expiresAt: Infinity };
    this.events.set(appId, receipt, event, eventBytes);
    return event;
  }
}

const isOver = ({ expiresAt }: KnownEvent): boolean => expiresAt <= performance.now();
