import { Injectable, Logger } from '@nestjs/common';
import { Broker, type BrokerMessage, type Position, type StoreRoom, type Topic } from 'rookery/channels';
import { headOf } from 'rookery/internal/channels';
import { type Awaitable, hashOf, Sweeps } from '#common';
import { Database } from '../../database/database.js';
import { run, type Work } from '../../database/statement.js';
import { keeping } from '../../events/keeping.js';
import { nameOf, type PendingMessage, TypeOrmBroker, type WrittenGroup } from '../../events/typeorm.broker.js';
import { Membership } from '../nodes/membership.js';
import { stored } from '../shared/names.js';
import { SharedDatabase } from '../shared/shared-database.js';
import { CarriedMessages } from './carried-messages.js';

/** Over how many partitions the channels are spread: a process is notified only of those with subscribers. */
const partitions = 64;
/** How often a process reads without a notice, which may have been lost, in milliseconds. */
const readEveryMs = 5000;
/** How long messages stay for processes that were cut off, in microseconds. */
const keptMicroseconds = 30_000_000;

interface CarriedRow {
  readonly before: number | string;
  readonly start: number | string;
  readonly forgotten: number | string;
}

/**
 * Carries messages through PostgreSQL to all processes on it. Each message is a row of an unlogged table; those that
 * come together are one transaction with one notification for each partition. Processes read and deliver in the order
 * of the commits. A kept event is in the same transaction, and durable.
 */
@Injectable()
export class PostgresBroker extends TypeOrmBroker {
  static readonly port = Broker;

  override readonly isShared: boolean = true;
  override room: StoreRoom = { processes: 1 };
  private readonly subscribed = new Map<string, Topic>();
  /** The partitions that a poll keeps: those with subscribers, also if these come while it leaves others. */
  private wanted = new Set<number>();
  private readonly carried: CarriedMessages;
  private readonly polls: Sweeps;
  /** The position before the group that was written last; undefined if only this process has it. */
  private before: number | undefined;
  /** Whether no other process could publish since the latest poll. */
  private wasAlone = false;
  /** The position of the latest message when old ones were last deleted. */
  private deletedAt = 0;

  constructor(
    database: Database,
    private readonly shared: SharedDatabase,
    private readonly membership: Membership,
  ) {
    super(database);
    membership.beforeSharing = async () => void (await this.committing?.catch(() => undefined));
    this.carried = new CarriedMessages(database, {
      message: (message, position) => this.receiver?.message(message, position),
      lost: () => this.receiver?.lost([...this.subscribed.values()]),
    });
    membership.joined = () => this.carried.joined();
    membership.left = () => this.carried.left();
    membership.beginAnew = async () => {
      await this.begin();
      await this.carried.beginAnew();
    };
    const logger = new Logger('Storage');
    this.polls = new Sweeps(() => this.poll(), readEveryMs, logger, 'Messages of other processes were not read');
    this.polls.start();
  }

  override async onApplicationShutdown(): Promise<void> {
    await this.polls.stop();
    await this.carried.close();
    await super.onApplicationShutdown();
  }

  /** @throws Unavailable when the database is away: the message may or may not have arrived; changes wait for it */
  override publish(message: BrokerMessage, rememberSeconds?: number): Awaitable<Position> {
    // A repeated change is delivered once, so it may wait. Any other event would be delivered twice.
    if (message.kind !== 'event' || !message.change || !this.isCarrying) return super.publish(message, rememberSeconds);
    return this.shared.patiently(async () => super.publish(message, rememberSeconds));
  }

  /** @throws Unavailable when the database is away for longer than processes wait */
  override async subscribe(appId: string, channel: string): Promise<void> {
    const name = nameOf(appId, channel);
    this.subscribed.set(name, { appId, channel });
    this.wanted.add(partitionOf(name));
    await this.membership.settled;
    await this.shared.patiently(() => this.carried.follow(partitionOf(name)));
  }

  override unsubscribe(appId: string, channel: string): void {
    this.subscribed.delete(nameOf(appId, channel));
  }

  /** A process that is alone delivers its own messages. */
  protected override get isCarrying(): boolean {
    return !this.membership.isAlone;
  }

  /** Without events to keep, it is one statement: PostgreSQL ends that also if this process is stopped meanwhile. */
  protected override async committed(group: () => readonly PendingMessage[]): Promise<WrittenGroup> {
    const messages = group();
    if (!this.isCarrying || messages.some(({ event }) => event)) return super.committed(() => messages);
    const [row] = await this.database.execute<CarriedRow>(carry, this.carrying(messages, false));
    return { positions: this.carriedAt(row!, messages), isDue: false };
  }

  protected override *storing(group: readonly PendingMessage[]): Work<WrittenGroup> {
    this.before = undefined;
    if (!this.isCarrying) return yield* super.storing(group);
    const kept = group.flatMap(({ event }, n) => (event ? [{ event, n }] : []));
    const [row] = yield* run<CarriedRow>(carry, this.carrying(group, kept.length > 0));
    const positions = this.carriedAt(row!, group);
    const taken = { positions: kept.map(({ n }) => positions[n]!), forgotten: Number(row!.forgotten) };
    const events = kept.map(({ event }) => event);
    const isDue = kept.length > 0 && (yield* keeping(events, taken, Number(row!.start), this.database.dialect));
    return { positions, isDue };
  }

  private carrying(group: readonly PendingMessage[], keeps: boolean): readonly unknown[] {
    return [
      this.latest,
      this.database.noticeSender,
      keeps,
      group.map(({ topic }) => partitionOf(topic)),
      ...columnsOf(group.map(({ message }) => message)),
    ];
  }

  private carriedAt({ before, start }: CarriedRow, group: readonly PendingMessage[]): readonly number[] {
    this.before = Number(before);
    return group.map((_, n) => Number(start) + 1 + n);
  }

  /** If no other process has published since, the group is delivered without reading it. */
  protected override accepted(group: readonly PendingMessage[], positions: WrittenGroup['positions']): void {
    if (this.before === undefined) return super.accepted(group, positions);
    if (this.carried.isAt(this.before)) {
      this.carried.passed(positions.at(-1)!);
      return super.accepted(group, positions);
    }
    for (const [n, { topic, resolve }] of group.entries()) {
      this.noLongerWaits(topic);
      resolve(String(positions[n]));
    }
    this.latest = positions.at(-1)!;
    // If it fails, the next poll reads them.
    void this.carried.read().catch(() => undefined);
  }

  private async poll(): Promise<void> {
    const { alive, isAlone } = this.membership;
    if (this.room.processes !== alive) this.room = { processes: alive };
    this.wanted = new Set([...this.subscribed.keys()].map(partitionOf));
    await this.carried.leaveExcept(this.wanted);
    if (this.carried.isFollowing && !(isAlone && this.wasAlone)) await this.carried.read();
    this.wasAlone = isAlone;
    await this.deleteOld();
  }

  /** Messages are old by the latest one: without a new one, there are none. */
  private async deleteOld(): Promise<void> {
    const latest = Math.max(this.latest, this.carried.cursor);
    if (latest === this.deletedAt) return;
    await this.database.execute(deleteOld, [keptMicroseconds]);
    this.deletedAt = latest;
  }
}

const partitionOf = (name: string): number => hashOf(name) % partitions;

function columnsOf(messages: readonly BrokerMessage[]): readonly (readonly string[])[] {
  return [
    messages.map(({ appId }) => stored(appId)),
    messages.map(({ channel }) => stored(channel)),
    messages.map(headOf),
    messages.map((message) => (message.kind === 'event' ? message.text : '')),
  ];
}

const carry = 'SELECT before, start, forgotten FROM rookery_carry(?, ?, ?, ?, ?, ?, ?, ?)';

/** Positions follow the clock. A process that was cut off for longer learns from `deleted` that it has lost some. */
const deleteOld = `WITH old AS (
    DELETE FROM rookery_messages USING rookery_event_order o
    WHERE o.name = 'events' AND position < o.latest - ? RETURNING position)
  UPDATE rookery_message_epoch SET deleted = old.last FROM (SELECT MAX(position) AS last FROM old) AS old
  WHERE name = 'messages' AND deleted < old.last`;
