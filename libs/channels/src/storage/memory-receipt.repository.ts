import { Injectable } from '@nestjs/common';
import { type NewReceipt, pageOf, ReceiptRepository, type UserReceipt } from './receipt.repository.js';

/** The receipts of one event. */
interface KnownEvent {
  readonly users: Map<string, UserReceipt>;
  /** By performance.now(). */
  expiresAt: number;
  /** Approximately. */
  bytes: number;
}

const eventBytes = 512;
const bytesOf = (userId: string): number => 192 + 2 * userId.length;

/** In memory: for one process. When it is full, the receipts of the oldest events are forgotten. */
@Injectable()
export class MemoryReceiptRepository extends ReceiptRepository {
  /** In the order of their first receipts. */
  private readonly events = new Map<string, KnownEvent>();
  private bytes = 0;

  /** @param maxBytes the approximate bytes of all receipts */
  constructor(private readonly maxBytes = 64 * 1024 * 1024) {
    super();
  }

  add(receipts: readonly NewReceipt[], maxUsers: number): readonly boolean[] {
    return receipts.map((each) => this.addOne(each, maxUsers));
  }

  find(appId: string, receipt: string, limit: number, after?: string): readonly UserReceipt[] {
    const event = this.events.get(keyOf(appId, receipt));
    return event && event.expiresAt > performance.now() ? pageOf([...event.users.values()], limit, after) : [];
  }

  private addOne({ appId, receipt, userId, isShown, at, keepMs }: NewReceipt, maxUsers: number): boolean {
    const event = this.open(keyOf(appId, receipt));
    const { users } = event;
    event.expiresAt = performance.now() + keepMs;
    const known = users.get(userId);
    if (known ? !isShown || known.shownAt !== undefined : users.size >= maxUsers) return false;
    users.set(userId, { receivedAt: at, ...known, userId, ...(isShown && { shownAt: at }) });
    if (known) return true;
    event.bytes += bytesOf(userId);
    this.bytes += bytesOf(userId);
    this.makeRoom();
    return true;
  }

  private open(key: string): KnownEvent {
    const known = this.events.get(key);
    if (known && known.expiresAt > performance.now()) return known;
    if (known) this.forget(key, known);
    const event: KnownEvent = { users: new Map(), expiresAt: 0, bytes: eventBytes };
    this.events.set(key, event);
    this.bytes += eventBytes;
    return event;
  }

  private forget(key: string, { bytes }: KnownEvent): void {
    this.events.delete(key);
    this.bytes -= bytes;
  }

  /** Forgets the events that are over, and the oldest while there are too many. */
  private makeRoom(): void {
    const now = performance.now();
    for (const [key, event] of this.events) {
      if (event.expiresAt > now && this.bytes <= this.maxBytes) return;
      this.forget(key, event);
    }
  }
}

/** Unambiguous: a receipt has no space. */
const keyOf = (appId: string, receipt: string): string => `${receipt} ${appId}`;
