import { Injectable, Logger, Optional } from '@nestjs/common';
import type { PositionChange, SavedSession, SessionName } from '../access/saved-session.js';
import type { Position } from '../protocol/position.js';
import { isEarlierThan } from './session-age.js';
import { SessionSpace } from './session-space.js';
import {
  hasSaved,
  outcomeFor,
  type SessionChanges,
  SessionRepository,
  weightOfPosition,
  weightOfSession,
  withConnection,
} from './session.repository.js';

interface StoredSession {
  readonly appId: string;
  /** Of its connections, the latest opened first. */
  socketIds: readonly string[];
  /** The connection that has taken the session. */
  holder: string | undefined;
  userId: string | undefined;
  readonly positions: Map<string, Position>;
  bytes: number;
  expiresAt: number;
}

/** In memory: for one process. After a restart, ids that carry a time tell which clients may lack something. */
@Injectable()
export class MemorySessionRepository extends SessionRepository {
  /** In the order of their last save. */
  private readonly sessions = new Map<string, StoredSession>();
  /** The names of each app's sessions, in the same order. */
  private readonly names = new Map<string, Set<string>>();
  private readonly space = new SessionSpace(new Logger('Channels'));

  private readonly madeAt = performance.now();

  /** @param maxBytes the approximate bytes of all sessions */
  constructor(@Optional() private readonly maxBytes: number = 256 * 1024 * 1024) {
    super();
  }

  open(session: SessionName, socketId: string, seconds: number, earlier?: readonly string[]): SavedSession | undefined {
    const name = nameOf(session);
    const known = this.find(name);
    const saved = known && savedOf(known);
    const opened = known ?? this.add(name, session);
    opened.socketIds = withConnection(opened.socketIds, socketId, earlier);
    this.keep(name, opened, seconds);
    if ((saved && hasSaved(saved)) || !this.mayHaveLost(session, seconds)) return saved;
    return { socketIds: [], positions: [], ...saved, isLost: true };
  }

  save(session: SessionName, socketId: string, { positions, userId }: SessionChanges, seconds: number) {
    const name = nameOf(session);
    const known = this.find(name);
    if (!known) return 'forgotten';
    const outcome = outcomeFor(known, socketId);
    if (outcome !== 'saved') return outcome;
    if (positions.length > 0 || userId !== undefined) known.holder = socketId;
    for (const change of positions) this.change(known, change);
    if (userId !== undefined) known.userId = userId;
    this.keep(name, known, seconds);
    return outcome;
  }

  private mayHaveLost(session: SessionName, seconds: number): boolean {
    return this.space.mayHaveLost(session, seconds) || isEarlierThan(session, performance.now() - this.madeAt);
  }

  private find(name: string): StoredSession | undefined {
    const entry = this.sessions.get(name);
    if (!entry || entry.expiresAt > performance.now()) return entry;
    this.remove(name, entry);
    return undefined;
  }

  private add(name: string, session: SessionName): StoredSession {
    const { appId } = session;
    const bytes = weightOfSession(session);
    const entry = {
      appId,
      socketIds: [],
      holder: undefined,
      userId: undefined,
      positions: new Map(),
      bytes,
      expiresAt: 0,
    };
    this.sessions.set(name, entry);
    this.space.add(appId, bytes);
    return entry;
  }

  private change(entry: StoredSession, [channel, position]: PositionChange): void {
    const { positions, appId } = entry;
    const before = positions.size;
    if (position === null) positions.delete(channel);
    else positions.set(channel, position);
    const bytes = (positions.size - before) * weightOfPosition(channel);
    entry.bytes += bytes;
    this.space.add(appId, bytes);
  }

  private keep(name: string, entry: StoredSession, seconds: number): void {
    const { appId } = entry;
    const now = performance.now();
    entry.expiresAt = now + seconds * 1000;
    this.sessions.delete(name);
    this.sessions.set(name, entry);
    const names = this.names.get(appId) ?? new Set();
    names.delete(name);
    this.names.set(appId, names.add(name));
    for (const [oldest, other] of this.sessions) {
      if (other.expiresAt > now) break;
      this.remove(oldest, other);
    }
    while (this.space.total > this.maxBytes) this.forgetOldest(this.space.fullest!, seconds);
  }

  private forgetOldest(appId: string, seconds: number): void {
    const [oldest] = this.names.get(appId)!;
    this.remove(oldest!, this.sessions.get(oldest!)!);
    this.space.forgotten(appId, seconds);
  }

  private remove(name: string, { appId, bytes }: StoredSession): void {
    this.sessions.delete(name);
    this.space.add(appId, -bytes);
    const names = this.names.get(appId);
    names?.delete(name);
    if (names?.size === 0) this.names.delete(appId);
  }
}

const savedOf = ({ socketIds, userId, positions }: StoredSession): SavedSession => ({
  socketIds,
  positions: [...positions],
  ...(userId === undefined ? {} : { userId }),
});

/** Unique for each session. */
const nameOf = ({ appId, key, id }: SessionName): string => JSON.stringify([appId, key, id]);
