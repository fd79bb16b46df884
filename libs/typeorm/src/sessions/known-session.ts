import {
  type PositionChange,
  type Position,
  type SavedSession,
  type SessionName,
  weightOfPosition,
  weightOfSession,
} from 'rookery/channels';

/** A session's row. */
export interface SessionRow {
  readonly state: string;
  readonly opened_at: number | string;
  readonly ends_at: number | string;
  readonly bytes: number | string;
}

export interface PositionRow {
  readonly channel: string;
  readonly position: string;
}

/** A session's state as it is stored. */
interface SessionState {
  readonly c: readonly string[];
  readonly h?: string;
  readonly u?: string;
  /** Only in rows of the release before: its positions. */
  readonly p?: readonly (readonly [channel: string, position: Position])[];
}

/** A session as this process knows it. */
export class KnownSession {
  /** Of its connections, the latest opened first. */
  socketIds: readonly string[] = [];
  /** The connection that has taken the session. */
  holder: string | undefined;
  userId: string | undefined;
  readonly positions = new Map<string, Position>();
  openedAt = 0;
  endsAt = 0;
  /** Approximately, with its positions. */
  bytes: number;
  /** Whether it is in the database, or will be. */
  isStored = false;
  /** Whether its row in the database must be written, besides its positions. */
  isRowDue = true;
  /** Whether all positions must be written. */
  isWhole = false;
  /** When the database forgets it: somewhat later, so that few saves change the row. */
  private storedUntil = 0;
  private storedBytes = 0;

  constructor(readonly name: SessionName) {
    this.bytes = weightOfSession(name);
  }

  /** The session of a row that {@link row} made. */
  static of(name: SessionName, row: SessionRow, positions: readonly PositionRow[]): KnownSession {
    const session = new KnownSession(name);
    const { c, h, u, p = [] } = JSON.parse(row.state) as SessionState;
    [session.socketIds, session.holder, session.userId] = [c, h, u];
    for (const change of p) session.change(change);
    for (const { channel, position } of positions) session.change([channel, position]);
    session.openedAt = Number(row.opened_at);
    session.endsAt = session.storedUntil = Number(row.ends_at);
    session.storedBytes = Number(row.bytes);
    session.isStored = true;
    session.isRowDue = session.isWhole = p.length > 0;
    return session;
  }

  /** @returns whether the session has changed */
  change([channel, position]: PositionChange): boolean {
    const { positions } = this;
    const before = positions.get(channel);
    if (before === (position ?? undefined)) return false;
    if (position === null) positions.delete(channel);
    else positions.set(channel, position);
    if (before === undefined) this.bytes += weightOfPosition(channel);
    if (position === null) this.bytes -= weightOfPosition(channel);
    return true;
  }

  keepFor(ms: number): void {
    this.endsAt = Date.now() + Math.ceil(ms);
    if (this.endsAt > this.storedUntil) {
      this.storedUntil = this.endsAt + Math.ceil(ms / 16);
      this.isRowDue = true;
    }
    // Now and then, as the session grows.
    if (this.bytes > 1.25 * this.storedBytes + 1024) this.isRowDue = true;
  }

  /** The values of its row, without the name. */
  row(): readonly [state: string, openedAt: number, endsAt: number, bytes: number] {
    const state: SessionState = {
      c: this.socketIds,
      ...(this.holder !== undefined && { h: this.holder }),
      ...(this.userId !== undefined && { u: this.userId }),
    };
    this.storedBytes = this.bytes;
    return [JSON.stringify(state), this.openedAt, this.storedUntil, this.bytes];
  }

  saved(): SavedSession {
    const { socketIds, userId, positions } = this;
    return { socketIds, positions: [...positions], ...(userId === undefined ? {} : { userId }) };
  }
}

/** Unique for each session. */
export const keyOf = ({ appId, key, id }: SessionName): string => JSON.stringify([appId, key, id]);

/** How the keys of an app's sessions begin. */
export const prefixOf = (appId: string): string => `${JSON.stringify([appId]).slice(0, -1)},`;

/** The app in a session's key. */
export const appOf = (key: string): string => (JSON.parse(key) as [string])[0];
