import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown, Optional } from '@nestjs/common';
import { Sweeps, Unavailable } from '#common';
import {
  hasSaved,
  mayPredate,
  outcomeFor,
  type SavedSession,
  type SessionChanges,
  type SessionName,
  SessionRepository,
  SessionSpace,
  type StoreAge,
  withConnection,
} from 'rookery/channels';
import { Database } from '../database/database.js';
import { eventOrder } from '../events/event-order.js';
import { type Forgotten, forgettingOf, forgettingOver } from './forgetting.js';
import { appOf, keyOf, KnownSession, type PositionRow, type SessionRow } from './known-session.js';
import { RememberedSessions } from './remembered-sessions.js';
import { saving, type Unwritten } from './saving.js';

/** What is unwritten of a session, until its write takes it. */
interface Changed {
  readonly session: KnownSession;
  readonly channels: Set<string>;
}

/** Why sessions were not written, by key. */
type Failures = ReadonlyMap<string, unknown>;

/** How often sessions are deleted that have expired, in milliseconds. */
const sweepEveryMs = 1000;
const whenIdle = 15;
/** The time until changes are written that may be lost, because events would only be sent again. */
const lateMs = 500;
/** How many rows are written together. */
const maxAtOnce = 500;
/** How many sessions are counted at once. */
const countedAtOnce = 1000;
/** The approximate bytes of the sessions that are remembered; others are read when they are saved. */
const maxRememberedBytes = 64 * 1024 * 1024;

/**
 * In the database, for one process. A session's new channels are durable when `save` resolves; positions that advance
 * are written half a second later, with all others.
 */
@Injectable()
export class TypeOrmSessionRepository
  extends SessionRepository
  implements OnApplicationBootstrap, OnApplicationShutdown
{
  static readonly port = SessionRepository;

  private readonly logger = new Logger('Channels');
  private readonly remembered = new RememberedSessions(maxRememberedBytes);
  private unwritten = new Map<string, Changed>();
  private writing: Promise<Failures> = Promise.resolve(new Map());
  /** The write after the one in progress. */
  private next: Promise<Failures> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly space = new SessionSpace(this.logger);
  /** When the database began; of another one later, that this process has seen the one before. */
  private began: { readonly at: number; readonly isReplacement: boolean } | undefined;
  /** The last session of an earlier process that is counted; undefined once all are. */
  private countedTo: string | undefined = '';
  private readonly sweeps: Sweeps;
  private readonly letGo: () => Promise<void>;

  /** @param maxBytes the approximate bytes of all sessions in the database */
  constructor(
    private readonly database: Database,
    @Optional() private readonly maxBytes: number = 1024 * 1024 * 1024,
  ) {
    super();
    this.letGo = database.keepOpen();
    const logger = new Logger('Storage');
    this.sweeps = new Sweeps(() => this.sweep(), sweepEveryMs, logger, 'Expired sessions were not deleted', {
      whenIdle,
    });
    this.sweeps.start();
  }

  /** Only a process that knows the database notices its replacement. */
  async onApplicationBootstrap(): Promise<void> {
    // If the database is away, the first session reads it.
    await this.storeAge().catch(() => undefined);
  }

  /** Another process of the database may have had the session meanwhile. */
  async open(
    name: SessionName,
    socketId: string,
    seconds: number,
    earlier?: readonly string[],
  ): Promise<SavedSession | undefined> {
    const key = keyOf(name);
    const stored = await this.read(key, name);
    const known = this.remembered.find(key);
    const session = stored && (!known || stored.openedAt > known.openedAt) ? stored : known;
    // Before the first await, so that two connections do not open it at once.
    const saved = session?.saved();
    const opened = session ?? new KnownSession(name);
    opened.socketIds = withConnection(opened.socketIds, socketId, earlier);
    // One that comes back is not the latest, and takes the session from no other process.
    if (!session || !earlier) opened.openedAt = Math.max(Date.now(), opened.openedAt + 1);
    opened.isRowDue = true;
    this.keep(key, opened, seconds);
    this.writeSoon(key, opened);
    if ((saved && hasSaved(saved)) || !(await this.mayHaveLost(name, seconds))) return saved;
    return { socketIds: [], positions: [], ...saved, isLost: true };
  }

  async save(name: SessionName, socketId: string, { positions, userId }: SessionChanges, seconds: number) {
    const key = keyOf(name);
    const stored = this.remembered.find(key) ?? (await this.read(key, name));
    const session = this.remembered.find(key) ?? stored;
    if (!session) return 'forgotten';
    const outcome = outcomeFor(session, socketId);
    if (outcome !== 'saved') return outcome;
    this.remembered.drop(key);
    const isNewUser = userId !== undefined && userId !== session.userId;
    let mustLast = isNewUser;
    if (isNewUser) session.userId = userId;
    if (isNewUser || ((positions.length > 0 || userId !== undefined) && session.holder !== socketId)) {
      session.holder = socketId;
      session.isRowDue = true;
    }
    const changed: string[] = [];
    for (const [channel, position] of positions) {
      mustLast ||= position !== null && !session.positions.has(channel);
      if (session.change([channel, position])) changed.push(channel);
    }
    this.keep(key, session, seconds);
    this.writeSoon(key, session, changed);
    const failures = mustLast ? await this.write() : undefined;
    if (failures?.has(key)) throw failures.get(key);
    return outcome;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sweeps.stop();
    await this.writeLate();
    await this.letGo();
  }

  private async read(key: string, name: SessionName): Promise<KnownSession | undefined> {
    const [row] = await this.database.read<SessionRow>(
      'SELECT state, opened_at, ends_at, bytes FROM rookery_sessions WHERE name = ? AND ends_at > ?',
      [key, Date.now()],
    );
    if (!row) return undefined;
    const positions = 'SELECT channel, position FROM rookery_session_positions WHERE session = ?';
    return KnownSession.of(name, row, await this.database.read<PositionRow>(positions, [key]));
  }

  private keep(key: string, session: KnownSession, seconds: number): void {
    session.keepFor(seconds * 1000);
    this.remembered.add(key, session, (other) => this.unwritten.has(other));
  }

  private writeSoon(key: string, session: KnownSession, channels: readonly string[] = []): void {
    // Most have no channel with a history.
    if (session.positions.size === 0 && !session.isStored) return;
    if (!session.isRowDue && channels.length === 0) return;
    session.isStored = true;
    let changed = this.unwritten.get(key);
    if (changed?.session !== session) this.unwritten.set(key, (changed = { session, channels: new Set() }));
    for (const channel of channels) changed.channels.add(channel);
    if (!this.sweeps.areStopped) this.timer ??= setTimeout(() => void this.writeLate(), lateMs).unref();
  }

  private async writeLate(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const [error] = (await this.write()).values();
    // The database throws errors.
    if (error !== undefined) this.logger.warn(`Sessions were not saved: ${(error as Error).message}`);
  }

  /** Resolves when everything that was unwritten at the call is written, or has failed. */
  private write(): Promise<Failures> {
    this.next ??= this.writing.then(() => {
      this.next = undefined;
      return (this.writing = this.writeAll());
    });
    return this.next;
  }

  /** If the write of several fails, the halves are written apart, so that only a session that cannot be stored fails. */
  private async writeAll(): Promise<Failures> {
    const failures = new Map<string, unknown>();
    const groups = groupsOf(this.takeUnwritten());
    for (let group = groups.pop(); group; group = groups.pop())
      try {
        await this.writeGroup(group);
      } catch (error) {
        if (group.length > 1 && !(error instanceof Unavailable)) groups.push(...halvesOf(group));
        else
          for (const unwritten of error instanceof Unavailable ? [...group, ...groups.splice(0).flat()] : group) {
            failures.set(unwritten.key, error);
            this.putBack(unwritten);
          }
      }
    return failures;
  }

  /** Unless the session was forgotten or replaced meanwhile. */
  private putBack({ key, session, isRowDue, channels }: Unwritten): void {
    session.isRowDue ||= isRowDue;
    const changed = this.unwritten.get(key);
    if (!changed || changed.session === session) this.writeSoon(key, session, [...channels]);
  }

  private takeUnwritten(): readonly Unwritten[] {
    const all = Array.from(this.unwritten, ([key, { session, channels }]) => {
      const { isRowDue } = session;
      session.isRowDue = false;
      return { key, session, isRowDue, channels };
    });
    this.unwritten = new Map();
    return all;
  }

  private async writeGroup(group: readonly Unwritten[]): Promise<void> {
    const grown = await this.database.write(() => saving(group, this.database.dialect));
    for (const [key, bytes] of grown) this.space.add(appOf(key), bytes);
    for (const { session } of group) session.isWhole = false;
    if (this.space.total > this.maxBytes) this.sweeps.wake();
  }

  /** Whether the database may lack sessions because it replaced another one, or was full. */
  private async mayHaveLost(name: SessionName, seconds: number): Promise<boolean> {
    if (this.space.mayHaveLost(name, seconds)) return true;
    return mayPredate(name, await this.storeAge(), seconds);
  }

  private async storeAge(): Promise<StoreAge> {
    const { first: at } = await eventOrder(this.database);
    if (this.began?.at !== at) this.began = { at, isReplacement: this.began !== undefined };
    return { ms: Date.now() - at / 1000, isReplacement: this.began.isReplacement };
  }

  /** Answers whether there may be more to do. */
  private async sweep(): Promise<boolean> {
    if (!this.database.dataSource.isInitialized) return false;
    const { dialect } = this.database;
    const now = Date.now();
    const over = await this.database.read('SELECT 1 FROM rookery_sessions WHERE ends_at <= ? LIMIT 1', [now]);
    if (over.length > 0) this.deleted(await this.database.write(() => forgettingOver(now, dialect)));
    if (this.countedTo !== undefined) return this.countSome(this.countedTo);
    return this.space.total > this.maxBytes ? this.makeRoom() : over.length > 0;
  }

  private async countSome(from: string): Promise<boolean> {
    const some = 'SELECT name, bytes FROM rookery_sessions WHERE name > ? ORDER BY name LIMIT ?';
    const rows = await this.database.read<Pick<Forgotten, 'name' | 'bytes'>>(some, [from, countedAtOnce]);
    for (const { name, bytes } of rows) this.space.add(appOf(name), Number(bytes));
    this.countedTo = rows.length < countedAtOnce ? undefined : rows.at(-1)!.name;
    await nextTurn();
    return true;
  }

  private async makeRoom(): Promise<boolean> {
    const appId = this.space.fullest!; // Not null: the table is not empty.
    // Somewhat more than there must be, so that the next sessions fit.
    const excess = this.space.total - (15 / 16) * this.maxBytes;
    const gone = await this.database.write(() => forgettingOf(appId, excess, this.database.dialect));
    this.deleted(gone);
    for (const { name } of gone) {
      this.unwritten.delete(name);
      this.remembered.drop(name);
    }
    if (gone.length > 0) this.space.forgotten(appId, Math.max(...gone.map(secondsLeft)));
    else this.recount();
    return true;
  }

  private deleted(sessions: readonly Forgotten[]): void {
    for (const { name, bytes } of sessions) this.space.add(appOf(name), -Number(bytes));
  }

  /** Another process has deleted sessions. */
  private recount(): void {
    this.space.clear();
    this.countedTo = '';
  }
}

const secondsLeft = ({ ends_at }: Forgotten): number => (Number(ends_at) - Date.now()) / 1000;

/** The last ones first; small, so that a write holds up the process for a few milliseconds only. */
function groupsOf(all: readonly Unwritten[]): Unwritten[][] {
  const groups: Unwritten[][] = [];
  let rows = Infinity;
  for (const unwritten of all) {
    const own = 1 + unwritten.channels.size;
    if (rows + own > maxAtOnce) {
      groups.unshift([]);
      rows = 0;
    }
    groups[0]!.push(unwritten);
    rows += own;
  }
  return groups;
}

/** The second half first. */
function halvesOf(group: Unwritten[]): Unwritten[][] {
  const half = group.length >> 1;
  return [group.slice(half), group.slice(0, half)];
}
