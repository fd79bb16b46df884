import { Injectable } from '@nestjs/common';
import type { SavedSession, SessionName } from '../access/saved-session.js';
import type { Position } from '../protocol/position.js';
import { outcomeFor, type SessionChanges, SessionRepository, withConnection } from './session.repository.js';

interface Entry {
  /** Of its connections, the latest opened first. */
  socketIds: readonly string[];
  /** The connection that has taken the session. */
  holder: string | undefined;
  userId: string | undefined;
  readonly positions: Map<string, Position>;
  expiresAt: number;
}

const none = { holder: undefined, userId: undefined, expiresAt: 0 };
/** Beyond it, the sessions that were saved longest ago are forgotten early. */
const mostSessions = 500_000;

/** In memory: for one process; state is lost on restart. */
@Injectable()
export class MemorySessionRepository extends SessionRepository {
  /** In the order of their last save. */
  private readonly sessions = new Map<string, Entry>();

  open(session: SessionName, socketId: string, seconds: number, earlier?: readonly string[]): SavedSession | undefined {
    const name = nameOf(session);
    const known = this.find(name);
    const saved = known && savedOf(known);
    const socketIds = withConnection(known?.socketIds ?? [], socketId, earlier);
    this.keep(name, { ...none, positions: new Map(), ...known, socketIds }, seconds);
    return saved;
  }

  save(session: SessionName, socketId: string, { positions, userId }: SessionChanges, seconds: number) {
    const name = nameOf(session);
    const known = this.find(name);
    if (!known) return 'forgotten';
    const outcome = outcomeFor(known, socketId);
    if (outcome !== 'saved') return outcome;
    if (positions.length > 0 || userId !== undefined) known.holder = socketId;
    for (const [channel, position] of positions)
      if (position === null) known.positions.delete(channel);
      else known.positions.set(channel, position);
    if (userId !== undefined) known.userId = userId;
    this.keep(name, known, seconds);
    return outcome;
  }

  private find(name: string): Entry | undefined {
    const entry = this.sessions.get(name);
    return entry && entry.expiresAt > performance.now() ? entry : undefined;
  }

  private keep(name: string, entry: Entry, seconds: number): void {
    const now = performance.now();
    entry.expiresAt = now + seconds * 1000;
    this.sessions.delete(name);
    this.sessions.set(name, entry);
    for (const [oldest, { expiresAt }] of this.sessions) {
      if (expiresAt > now && this.sessions.size <= mostSessions) break;
      this.sessions.delete(oldest);
    }
  }
}

const savedOf = ({ socketIds, userId, positions }: Entry): SavedSession => ({
  socketIds,
  positions: [...positions],
  ...(userId === undefined ? {} : { userId }),
});

/** Unique for each session. */
const nameOf = ({ appId, key, id }: SessionName): string => JSON.stringify([appId, key, id]);
