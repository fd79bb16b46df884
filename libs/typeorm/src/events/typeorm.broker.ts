import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import {
  Broker,
  type BrokerEvent,
  type BrokerMessage,
  type BrokerReceiver,
  type HistoryPage,
  type KeptSize,
  type Position,
  type RememberedEvent,
} from 'rookery/channels';
import { type Awaitable, Sweeps, Unavailable } from '#common';
import { Database } from '../database/database.js';
import { eventOrder, nowMicroseconds } from './event-order.js';
import { type Due, forgetting, whatIsDue } from './forgetting.js';
import { type EventToKeep, keeping, takePositions } from './keeping.js';
import type { Work } from '../database/statement.js';
import { keptSizes } from './kept-sizes.js';
import { historyPage } from './reading.js';
import { joinSharedText, type SharedTextRow, sharedTextColumns, textOn } from './shared-texts.js';

/** A message that waits for the events before it on its channel, or for its own write. */
export interface PendingMessage {
  readonly message: BrokerMessage;
  readonly topic: string;
  readonly event: EventToKeep | undefined;
  readonly resolve: (position: Position) => void;
  readonly reject: (error: unknown) => void;
}

/** What was written of a group of messages. */
export interface WrittenGroup {
  /** Of the messages, in order; undefined for one that is not in the database, which comes after the one before it. */
  readonly positions: readonly (number | undefined)[];
  /** Whether events should be deleted now. */
  readonly isDue: boolean;
}

interface RememberedRow extends SharedTextRow {
  readonly position: number | string;
  readonly ends_at: number | string;
}

/** How many messages are written together at most. */
const maxTogether = 500;
/** How long a write may wait for more messages. */
const maxGatheringMs = 2;
/** How often events are deleted that have expired, in milliseconds. */
const sweepEveryMs = 1000;
const whenIdle = 15;
const firstCount = 1_000_000_000;
const lastCount = 1_999_999_999;

/**
 * For one process: histories and the last events of cache channels are in the database, and survive a restart. An event
 * of such a channel is accepted and delivered when it is durable; all that come meanwhile are written together. Other
 * messages arrive at once and never touch the database, unless events before them on their channel are being written.
 */
@Injectable()
export class TypeOrmBroker extends Broker implements OnModuleInit, OnApplicationShutdown {
  override readonly isShared: boolean = false;
  override readonly sharesTexts: boolean = true;
  protected receiver: BrokerReceiver | undefined;
  private readonly waiting: PendingMessage[] = [];
  /** How many messages wait, by channel. */
  private readonly topics = new Map<string, number>();
  private writing: Promise<void> | undefined;
  /** The group that is being written, or the latest that was. */
  protected committing: Promise<WrittenGroup> | undefined;
  /** The position of the latest event that this process has written, or a later one. */
  protected latest = nowMicroseconds();
  /** Counts the messages after it that are not kept. Numbers of equal length compare as texts. */
  private count = firstCount;
  private ready: Promise<void> | undefined;
  private readonly sweeps: Sweeps;
  private readonly letGo: () => Promise<void>;

  constructor(protected readonly database: Database) {
    super();
    this.letGo = database.keepOpen();
    const logger = new Logger('Storage');
    this.sweeps = new Sweeps(() => this.forget(), sweepEveryMs, logger, 'Expired events were not deleted', {
      whenIdle,
    });
    this.sweeps.start();
  }

  /** Before anything is published. */
  async onModuleInit(): Promise<void> {
    await this.begin();
  }

  /** Writes what waits. */
  async onApplicationShutdown(): Promise<void> {
    await this.sweeps.stop();
    await this.writing;
    await this.letGo();
  }

  receive(receiver: BrokerReceiver): void {
    this.receiver = receiver;
  }

  /** @throws Unavailable when the database refuses the event */
  publish(message: BrokerMessage, rememberSeconds?: number): Awaitable<Position> {
    const isKept = message.kind === 'event' && (message.history !== undefined || rememberSeconds !== undefined);
    if (this.isCarrying) return this.written(message, isKept, rememberSeconds);
    // Most messages take this way.
    if (!isKept && this.topics.size === 0) return this.deliver(message, this.nextPosition());
    if (!isKept && !this.topics.has(nameOf(message.appId, message.channel)))
      return this.deliver(message, this.nextPosition());
    return this.written(message, isKept, rememberSeconds);
  }

  /** Whether every message is written, and not only the kept ones. */
  protected get isCarrying(): boolean {
    return false;
  }

  private written(message: BrokerMessage, isKept: boolean, rememberSeconds: number | undefined): Promise<Position> {
    const topic = nameOf(message.appId, message.channel);
    return new Promise((resolve, reject) => {
      const event = isKept && message.kind === 'event' ? eventToKeep(topic, message, rememberSeconds) : undefined;
      this.waiting.push({ message, topic, event, resolve, reject });
      this.topics.set(topic, (this.topics.get(topic) ?? 0) + 1);
      this.writing ??= this.writeAll();
    });
  }

  async recall(appId: string, channel: string): Promise<RememberedEvent | undefined> {
    const [row] = await this.database.read<RememberedRow>(
      `SELECT e.position, e.ends_at, ${sharedTextColumns} FROM rookery_remembered_events e ${joinSharedText}
       WHERE e.name = ?`,
      [nameOf(appId, channel)],
    );
    const leftMs = row ? Number(row.ends_at) - Date.now() : 0;
    if (!row || leftMs <= 0) return undefined;
    return { text: textOn(channel, row), position: String(row.position), ttlSeconds: Math.ceil(leftMs / 1000) };
  }

  async history(appId: string, channel: string, limit: number, after?: Position): Promise<HistoryPage> {
    await this.begin();
    return historyPage(this.database, nameOf(appId, channel), channel, limit, after);
  }

  override keptSizes(): AsyncIterable<readonly KeptSize[]> {
    return keptSizes(this.database);
  }

  subscribe(..._topic: [appId: string, channel: string]): Awaitable<void> {}

  unsubscribe(..._topic: [appId: string, channel: string]): void {}

  /** A failed call is repeated by the next. */
  protected begin(): Promise<void> {
    this.ready ??= eventOrder(this.database).then(
      ({ latest }) => void (this.latest = Math.max(this.latest, latest)),
      (error: unknown) => {
        this.ready = undefined;
        throw error;
      },
    );
    return this.ready;
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      await this.gathering();
      // Chosen as late as possible, so that one write takes as many as possible.
      let group: readonly PendingMessage[] = [];
      await this.writeGroup(() => (group.length > 0 ? group : (group = this.waiting.splice(0, maxTogether))));
    }
    // At once: the next waiting call begins another.
    this.writing = undefined;
  }

  /** If the write fails, the halves are written apart, so that only an event that cannot be stored is refused. */
  private async writeGroup(group: () => readonly PendingMessage[]): Promise<void> {
    let positions: WrittenGroup['positions'];
    try {
      positions = await this.writeEvents(group);
    } catch (error) {
      const all = group();
      if (all.length === 1 || error instanceof Unavailable) return this.refused(all, error);
      const half = all.length >> 1;
      await this.writeGroup(() => all.slice(0, half));
      return this.writeGroup(() => all.slice(half));
    }
    this.accepted(group(), positions);
  }

  private async writeEvents(group: () => readonly PendingMessage[]): Promise<WrittenGroup['positions']> {
    await this.begin();
    this.committing = this.committed(group);
    const { positions, isDue } = await this.committing;
    if (isDue) this.sweeps.wake();
    return positions;
  }

  /** Writes a group in one transaction, and commits it. */
  protected committed(group: () => readonly PendingMessage[]): Promise<WrittenGroup> {
    return this.database.write(() => this.storing(group()));
  }

  /** Writes a group in a transaction. */
  protected *storing(group: readonly PendingMessage[]): Work<WrittenGroup> {
    const events: EventToKeep[] = [];
    for (const { event } of group) if (event) events.push(event);
    const now = Math.max(nowMicroseconds(), this.latest);
    const taken = yield* takePositions(events.length, now);
    const isDue = yield* keeping(events, taken, now, this.database.dialect);
    // Most often, all are kept.
    if (events.length === group.length) return { positions: taken.positions, isDue };
    let kept = 0;
    return { positions: group.map(({ event }) => (event ? taken.positions[kept++] : undefined)), isDue };
  }

  /**
   * Resolves once a whole turn of the event loop has brought no more. A commit and its wait for the disk cost as much as
   * ten triggers, and clients that have just got their answers are about to send more.
   */
  private async gathering(): Promise<void> {
    const end = performance.now() + maxGatheringMs;
    // The first may end before anything is read.
    await nextTurn();
    let before: number;
    do {
      before = this.waiting.length;
      await nextTurn();
    } while (this.waiting.length > before && this.waiting.length < maxTogether && performance.now() < end);
  }

  /** Delivers what was written, and answers the publishers. */
  protected accepted(group: readonly PendingMessage[], positions: WrittenGroup['positions']): void {
    let n = 0;
    for (const { message, topic, resolve, reject } of group) {
      this.noLongerWaits(topic);
      const position = positions[n++];
      if (position !== undefined) {
        this.latest = position;
        this.count = firstCount;
      }
      try {
        resolve(this.deliver(message, position === undefined ? this.nextPosition() : String(position)));
      } catch (error) {
        reject(error);
      }
    }
  }

  /** Messages that are not kept need no database. */
  private refused(group: readonly PendingMessage[], error: unknown): void {
    for (const { message, topic, event, resolve, reject } of group) {
      this.noLongerWaits(topic);
      if (event || this.isCarrying) reject(error);
      else resolve(this.deliver(message, this.nextPosition()));
    }
  }

  protected noLongerWaits(topic: string): void {
    const others = this.topics.get(topic)! - 1;
    if (others > 0) this.topics.set(topic, others);
    else this.topics.delete(topic);
  }

  protected deliver(message: BrokerMessage, position: Position): Position {
    // The receiver leaves out channels without subscribers.
    this.receiver?.message(message, position);
    return position;
  }

  private nextPosition(): Position {
    if (this.count === lastCount) {
      this.latest = Math.max(nowMicroseconds(), this.latest + 1);
      this.count = firstCount;
    }
    return `${this.latest}${++this.count}`;
  }

  private async forget(): Promise<boolean | 'done'> {
    // The host may close its data source first.
    if (!this.database.dataSource.isInitialized) return false;
    const now = nowMicroseconds();
    const [due] = await this.database.read<Due>(whatIsDue, [now, now / 1000, now]);
    if (!due || due.histories + due.remembered + due.texts === 0) return false;
    return (await this.database.write(() => forgetting(now, this.database.dialect, due))) || 'done';
  }
}

/** Unambiguous: no two pairs share a name. */
export const nameOf = (appId: string, channel: string): string => `${appId.length} ${appId} ${channel}`;

const eventToKeep = (
  name: string,
  { channel, text, except, history }: BrokerEvent,
  rememberSeconds: number | undefined,
): EventToKeep => ({
  name,
  channel,
  text,
  except,
  history,
  endsAt: rememberSeconds === undefined ? undefined : Date.now() + rememberSeconds * 1000,
});
