import { randomUUID } from 'node:crypto';
import type { BrokerReceiver, Topic } from 'rookery/channels';
import { messageOf } from 'rookery/internal/channels';
import type { Database } from '../../database/database.js';
import { nameIn } from '../shared/names.js';
import { noticeOf } from './message-table.js';

/** How many messages one statement reads. */
const maxRows = 500;

/**
 * By the primary key, so that a process far behind does not sort all that it has yet to read. PostgreSQL has no
 * statistics of rows that live for seconds: it takes those of a partition to be few, unless `coalesce` hides them.
 */
const nextMessages = `SELECT * FROM rookery_messages WHERE position > ? AND coalesce(partition = ANY(?), false)
  ORDER BY position LIMIT ${maxRows}`;

interface Row {
  readonly latest: number | string;
  readonly epoch: string | null;
  readonly deleted: number | string | null;
  /** The columns of a message are null if there is none. */
  readonly position: number | string | null;
  readonly app_id: string;
  readonly channel: string;
  readonly head: string;
  readonly text: string;
}

/**
 * Reads what the processes have published, in the order of the positions. Notices say when; the table has the messages,
 * so a notice that is late or lost delays them, and a connection that is restored in time has lost none.
 */
export class CarriedMessages {
  /** The partitions that are read, and how to end their notices. */
  private readonly followed = new Map<number, (() => Promise<void>) | undefined>();
  /** The partitions that are read from the next position on. */
  private readonly joining = new Set<number>();
  /** All messages up to it are delivered. */
  cursor = 0;
  /** Of the messages read so far. Another one begins with a crash, which empties the table, and when a process is alone. */
  private epoch: string | undefined;
  /** The one that this process has begun itself. */
  private own: string | undefined;
  /** Whether another one began since this process joined the others: it may miss messages until it joins them again. */
  private mayMissMore = false;
  /** Whether it has joined them since the latest read. */
  private hasJoined = false;
  private reading: Promise<void> | undefined;
  private next: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly receiver: Pick<BrokerReceiver, 'message'> & { lost(): void },
  ) {}

  /** Whether there is anything to read. */
  get isFollowing(): boolean {
    return this.followed.size > 0;
  }

  follows(partition: number): boolean {
    return this.followed.has(partition);
  }

  /** Resolves when messages that are published from now on will be delivered. */
  async follow(partition: number): Promise<void> {
    if (this.follows(partition)) return;
    this.joining.add(partition);
    await this.read();
  }

  /** Ends all others. Those that are added to the set until then stay. */
  async leaveExcept(wanted: ReadonlySet<number>): Promise<void> {
    for (const partition of this.joining) if (!wanted.has(partition)) this.joining.delete(partition);
    for (const [partition, stop] of this.followed) {
      if (wanted.has(partition)) continue;
      this.followed.delete(partition);
      await stop?.();
    }
  }

  async close(): Promise<void> {
    await this.leaveExcept(new Set());
    await this.reading?.catch(() => undefined);
  }

  /** Whether all messages up to a position are delivered: those after it need not be read. */
  isAt(position: number): boolean {
    return this.reading === undefined && this.joining.size === 0 && this.cursor === position;
  }

  /** All messages up to this one were delivered without reading them. */
  passed(position: number): void {
    this.cursor = position;
  }

  /** All others carry their messages for this process from now on. */
  joined(): void {
    this.hasJoined = true;
    // Also without subscribers: a later epoch shows that they may miss messages. If it fails, the next read does it.
    void this.read().catch(() => undefined);
  }

  /** Others may be alone from now on. */
  left(): void {
    this.hasJoined = false;
  }

  /**
   * Called before this process delivers messages past the table, or when it did: the others notice that they may miss
   * some, as after a crash.
   */
  async beginAnew(): Promise<void> {
    for (let hasBegun = false; !hasBegun;) {
      await this.read();
      this.own = randomUUID();
      const begun = await this.database.execute(
        "UPDATE rookery_message_epoch SET id = ? WHERE name = 'messages' AND id = ? RETURNING id",
        [this.own, this.epoch],
      );
      hasBegun = begun.length > 0;
    }
  }

  /** Reads what was committed before this call. */
  read(): Promise<void> {
    if (!this.reading) return this.start();
    this.next ??= this.reading.catch(() => undefined).then(() => this.start());
    return this.next;
  }

  private start(): Promise<void> {
    this.next = undefined;
    this.reading = this.readAll().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async readAll(): Promise<void> {
    const joining = [...this.joining];
    for (let isMore = true; isMore;) isMore = await this.readSome();
    for (const partition of joining) this.join(partition);
  }

  private async readSome(): Promise<boolean> {
    const { hasJoined } = this;
    const rows = await this.database.read<Row>(
      `SELECT o.latest, e.id AS epoch, e.deleted, m.position, m.app_id, m.channel, m.head, m.text
       FROM rookery_event_order o LEFT JOIN rookery_message_epoch e ON e.name = 'messages'
       LEFT JOIN (${nextMessages}) AS m ON true WHERE o.name = 'events' ORDER BY m.position`,
      [this.cursor, [...this.followed.keys()]],
    );
    const [first] = rows;
    if (!first) throw new Error('The table rookery_event_order has lost its row: restart the server');
    await this.compare(first, hasJoined);
    let last = Number(first.latest);
    for (const row of rows) if (row.position !== null) this.deliver(row, Number(row.position));
    if (rows.length === maxRows) last = Number(rows.at(-1)!.position);
    this.cursor = last;
    return rows.length === maxRows;
  }

  /** Reports a loss before anything that comes after it. */
  private async compare({ epoch, deleted, latest }: Row, hasJoined: boolean): Promise<void> {
    const isNew = epoch !== this.epoch && epoch !== this.own;
    const mayMiss = isNew || (hasJoined && this.mayMissMore);
    const isLost = this.epoch !== undefined && (mayMiss || Number(deleted) > this.cursor);
    this.epoch = epoch ?? (await this.begin());
    this.mayMissMore = !hasJoined && (isNew || this.mayMissMore);
    if (hasJoined) this.hasJoined = false;
    // A replica that was promoted may lack the latest positions.
    const hasForgotten = Number(latest) < this.cursor;
    if (hasForgotten) this.cursor = Number(latest);
    if (isLost || hasForgotten) this.receiver.lost();
  }

  /** Answers the epoch, this one or that of another process. */
  private async begin(): Promise<string> {
    const [row] = await this.database.execute<{ readonly id: string }>(
      `INSERT INTO rookery_message_epoch AS e (name, id, deleted) VALUES ('messages', ?, 0)
       ON CONFLICT (name) DO UPDATE SET name = e.name RETURNING id`,
      [randomUUID()],
    );
    return row!.id;
  }

  private deliver({ app_id: appId, channel, head, text }: Row, position: number): void {
    const topic: Topic = { appId: nameIn(appId), channel: nameIn(channel) };
    const message = messageOf(head, text, topic);
    // A later release may send kinds of messages that this one does not know.
    if (message) this.receiver.message(message, String(position));
  }

  private join(partition: number): void {
    if (!this.joining.delete(partition) || this.followed.has(partition)) return;
    this.followed.set(partition, undefined);
    const heard = (): void => void this.read().catch(() => undefined);
    this.followed.set(partition, this.database.listen(noticeOf(partition), heard));
  }
}
