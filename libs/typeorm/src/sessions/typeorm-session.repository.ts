import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Sweeps } from '#common';
import {
  hasSaved,
  outcomeFor,
  type Position,
  type SavedSession,
  type SessionChanges,
  type SessionName,
  SessionRepository,
  withConnection,
} from 'rookery/channels';
import { Database } from '../database/database.js';
import { Insertion } from '../database/many-rows.js';
import { eventOrder } from '../events/event-order.js';

interface Session {
  /** Of its connections, the latest opened first. */
  socketIds: readonly string[];
  /** The connection that has taken the session. */
  holder: string | undefined;
  userId: string | undefined;
  readonly positions: Map<string, Position>;
  openedAt: number;
  endsAt: number;
  /** Whether it is in the database, or will be. */
  isStored: boolean;
}

/** A session as it is stored. */
interface SessionState {
  readonly c: readonly string[];
  readonly h?: string;
  readonly u?: string;
  readonly p: readonly (readonly [channel: string, position: Position])[];
}

interface SessionRow {
  readonly state: string;
  readonly opened_at: number | string;
  readonly ends_at: number | string;
}

/** How often sessions are deleted that have expired, in milliseconds. */
const sweepEveryMs = 1000;
/** The time until changes are written that may be lost, because events would only be sent again. */
const lateMs = 500;
/** How many sessions are written together, and how many expired ones are deleted together. */
const mostAtOnce = 250;
/** How many sessions are remembered; others are read when they are saved. */
const mostRemembered = 20_000;

/**
 * In the database, for one process. A session's new channels are durable when `save` resolves; positions that advance
 * are written half a second later, with all others.
 */
@Injectable()
export class TypeOrmSessionRepository extends SessionRepository implements OnApplicationShutdown {
  private readonly logger = new Logger('Channels');
  /** In the order of their last use. */
  private readonly remembered = new Map<string, Session>();
  private unwritten = new Map<string, Session>();
  private writing: Promise<void> = Promise.resolve();
  /** The write after the one in progress. */
  private next: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly sweeps: Sweeps;
  private readonly letGo: () => Promise<void>;

  constructor(private readonly database: Database) {
    super();
    this.letGo = database.keepOpen();
    const logger = new Logger('Storage');
    this.sweeps = new Sweeps(() => this.forget(), sweepEveryMs, logger, 'Expired sessions were not deleted');
    this.sweeps.start();
  }

  /** Another process of the database may have had the session meanwhile. */
  async open(
    name: SessionName,
    socketId: string,
    seconds: number,
    earlier?: readonly string[],
  ): Promise<SavedSession | undefined> {
    const key = keyOf(name);
    const stored = await this.read(key);
    const known = this.find(key);
    const session = stored && (!known || stored.openedAt > known.openedAt) ? stored : known;
    // Before the first await, so that two connections do not open it at once.
    const saved = session && savedOf(session);
    const opened: Session = session ?? { ...none, positions: new Map() };
    opened.socketIds = withConnection(opened.socketIds, socketId, earlier);
    // One that comes back is not the latest, and takes the session from no other process.
    if (!session || !earlier) opened.openedAt = Math.max(Date.now(), opened.openedAt + 1);
    this.keep(key, opened, seconds);
    this.writeSoon(key, opened);
    if ((saved && hasSaved(saved)) || !(await this.isYoungerThan(seconds))) return saved;
    return { socketIds: [], positions: [], ...saved, isLost: true };
  }

  async save(name: SessionName, socketId: string, { positions, userId }: SessionChanges, seconds: number) {
    const key = keyOf(name);
    const stored = this.find(key) ?? (await this.read(key));
    const session = this.find(key) ?? stored;
    if (!session) return 'forgotten';
    const outcome = outcomeFor(session, socketId);
    if (outcome !== 'saved') return outcome;
    if (positions.length > 0 || userId !== undefined) session.holder = socketId;
    let mustLast = userId !== undefined && userId !== session.userId;
    for (const [channel, position] of positions)
      if (position === null) session.positions.delete(channel);
      else {
        mustLast ||= !session.positions.has(channel);
        session.positions.set(channel, position);
      }
    if (userId !== undefined) session.userId = userId;
    this.keep(key, session, seconds);
    this.writeSoon(key, session);
    if (mustLast) await this.write();
    return outcome;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sweeps.stop();
    await this.writeLate();
    await this.letGo();
  }

  private find(key: string): Session | undefined {
    const session = this.remembered.get(key);
    return session && session.endsAt > Date.now() ? session : undefined;
  }

  private async read(key: string): Promise<Session | undefined> {
    const [row] = await this.database.read<SessionRow>(
      'SELECT state, opened_at, ends_at FROM rookery_sessions WHERE name = ? AND ends_at > ?',
      [key, Date.now()],
    );
    if (!row) return undefined;
    const { c, h, u, p } = JSON.parse(row.state) as SessionState; // As `stateOf` wrote it.
    return {
      socketIds: c,
      holder: h,
      userId: u,
      positions: new Map(p),
      openedAt: Number(row.opened_at),
      endsAt: Number(row.ends_at),
      isStored: true,
    };
  }

  private keep(key: string, session: Session, seconds: number): void {
    session.endsAt = Date.now() + Math.ceil(seconds * 1000);
    this.remembered.delete(key);
    this.remembered.set(key, session);
    for (const oldest of this.remembered.keys()) {
      if (this.remembered.size <= mostRemembered) return;
      if (this.unwritten.has(oldest)) return;
      this.remembered.delete(oldest);
    }
  }

  private writeSoon(key: string, session: Session): void {
    // Most have no channel with a history.
    if (session.positions.size === 0 && !session.isStored) return;
    session.isStored = true;
    this.unwritten.set(key, session);
    this.timer ??= setTimeout(() => void this.writeLate(), lateMs).unref();
  }

  private async writeLate(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.write().catch((error: unknown) => this.logger.warn(`Sessions were not saved: ${String(error)}`));
  }

  /** Resolves when everything that was unwritten at the call is written. */
  private write(): Promise<void> {
    this.next ??= this.writing
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        return (this.writing = this.writeAll());
      });
    return this.next;
  }

  private async writeAll(): Promise<void> {
    const all = [...this.unwritten];
    this.unwritten = new Map();
    for (let from = 0; from < all.length; from += mostAtOnce)
      try {
        const group = all.slice(from, from + mostAtOnce);
        await this.database.write(() => save.rows(group.map(rowOf)));
      } catch (error) {
        for (const [key, session] of all.slice(from)) if (!this.unwritten.has(key)) this.writeSoon(key, session);
        throw error;
      }
  }

  /** Whether the database may lack sessions because it replaced another one. */
  private async isYoungerThan(seconds: number): Promise<boolean> {
    const { first } = await eventOrder(this.database);
    return Date.now() - first / 1000 < seconds * 1000;
  }

  private async forget(): Promise<boolean> {
    if (!this.database.dataSource.isInitialized) return false;
    const some = 'SELECT name FROM rookery_sessions WHERE ends_at <= ? ORDER BY ends_at LIMIT ?';
    const found = await this.database.read(some, [Date.now(), mostAtOnce]);
    if (found.length === 0) return false;
    await this.database.execute(`DELETE FROM rookery_sessions WHERE name IN (${some})`, [Date.now(), mostAtOnce]);
    return found.length === mostAtOnce;
  }
}

const none = { socketIds: [], holder: undefined, userId: undefined, openedAt: 0, endsAt: 0, isStored: false };

/** A process that no longer has the session's current connection changes nothing. */
const save = new Insertion(
  'INSERT INTO rookery_sessions (name, state, opened_at, ends_at)',
  `ON CONFLICT (name) DO UPDATE SET state = excluded.state, opened_at = excluded.opened_at,
     ends_at = excluded.ends_at WHERE rookery_sessions.opened_at <= excluded.opened_at`,
);

const rowOf = ([key, { socketIds, holder, userId, positions, openedAt, endsAt }]: readonly [string, Session]) => {
  const state: SessionState = {
    c: socketIds,
    ...(holder !== undefined && { h: holder }),
    ...(userId !== undefined && { u: userId }),
    p: [...positions],
  };
  return [key, JSON.stringify(state), openedAt, endsAt];
};

const savedOf = ({ socketIds, userId, positions }: Session): SavedSession => ({
  socketIds,
  positions: [...positions],
  ...(userId === undefined ? {} : { userId }),
});

/** Unique for each session. */
const keyOf = ({ appId, key, id }: SessionName): string => JSON.stringify([appId, key, id]);
