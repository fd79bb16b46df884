import { Injectable } from '@nestjs/common';
import { FairMap } from '#common';
import {
  Broker,
  type BrokerMessage,
  type BrokerReceiver,
  type HistoryPage,
  type Position,
  type RememberedEvent,
} from './broker.js';
import { MemoryHistories } from './memory-histories.js';

interface LastEvent {
  readonly text: string;
  readonly position: Position;
  readonly expiresAt: number;
}

/** How often expired events are looked for while there are any. */
const sweepMs = 60_000;
const firstCount = 1_000_000_000;
const lastCount = 1_999_999_999;
/** For all histories together. */
const maxHistoryBytes = 256 * 1024 * 1024;
/** For all cache channels together. */
const maxRememberedBytes = 128 * 1024 * 1024;
/** What a channel takes besides its text. */
const besideText = 300;

/** For one process: published messages arrive at once, and none is lost. State is lost on restart. */
@Injectable()
export class InProcessBroker extends Broker {
  override readonly isShared: boolean = false;
  private receiver: BrokerReceiver | undefined;
  private readonly remembered = new FairMap<LastEvent>(maxRememberedBytes, isOver);
  private sweeping: NodeJS.Timeout | undefined;
  // Positions are texts of equal length that compare like numbers: the start time, and a count of ten digits.
  // Formatting one number with all the digits takes three times as long, a twentieth of a batch's time.
  protected begun = Date.now();
  private published = firstCount;
  /** Positions before this one are unknown to this memory. */
  private readonly epoch = this.latest;
  private readonly histories = new MemoryHistories(maxHistoryBytes);

  receive(receiver: BrokerReceiver): void {
    this.receiver = receiver;
  }

  publish(message: BrokerMessage, rememberSeconds?: number): Position {
    const position = this.nextPosition();
    if (rememberSeconds !== undefined && message.kind === 'event') {
      const { appId, channel, text } = message;
      this.remember(appId, channel, { text, position, expiresAt: performance.now() + rememberSeconds * 1000 });
    }
    if (message.kind === 'event' && message.history) {
      this.histories.add(message, position, message.history);
      this.forgetLater();
    }
    // The receiver leaves out channels without subscribers.
    this.receiver?.message(message, position);
    return position;
  }

  recall(appId: string, channel: string): RememberedEvent | undefined {
    const kept = this.remembered.get(appId, channel);
    if (!kept) return undefined;
    const leftMs = kept.expiresAt - performance.now();
    if (leftMs <= 0) return undefined;
    return { text: kept.text, position: kept.position, ttlSeconds: Math.ceil(leftMs / 1000) };
  }

  history(appId: string, channel: string, limit: number, after?: Position): HistoryPage {
    const now = this.latest;
    // A different length: a position of another memory.
    const isKnown = after === undefined || (after.length === now.length && after >= this.epoch && after <= now);
    return this.histories.page(appId, channel, limit, after, now, isKnown);
  }

  subscribe(): void {}

  unsubscribe(): void {}

  private get latest(): Position {
    return `${this.begun}${this.published}`;
  }

  private nextPosition(): Position {
    if (this.published === lastCount) {
      this.begun = Math.max(Date.now(), this.begun + 1);
      this.published = firstCount;
    }
    return `${this.begun}${++this.published}`;
  }

  private remember(appId: string, channel: string, kept: LastEvent): void {
    this.remembered.set(appId, channel, kept, besideText + Buffer.byteLength(kept.text));
    this.forgetLater();
  }

  // Otherwise channels that are never read again would stay in memory.
  private forgetLater(): void {
    this.sweeping ??= setTimeout(() => {
      this.sweeping = undefined;
      this.remembered.forget(isOver);
      this.histories.forget();
      if (this.remembered.bytes > 0 || !this.histories.areEmpty) this.forgetLater();
    }, sweepMs).unref();
  }
}

const isOver = ({ expiresAt }: LastEvent): boolean => expiresAt <= performance.now();
