import type { Position } from '../broker/broker.js';
import type { Connection } from '../connections/connection.js';
import type { Frame } from './frame.js';

/** What a connection already knows of the channel when it is confirmed, and is not sent again. */
export interface AlreadySent {
  /** The version of the roster that it received. */
  readonly version?: number;
  /** The position of the remembered event that it received. */
  readonly position?: Position;
  /** The position up to which the channel's history was replayed, or from which it is replayed later. */
  readonly replayed?: Position;
  /** Of the events that were kept while it was subscribed, those that it received in another way. */
  readonly has?: (frame: Frame) => boolean;
}

/**
 * Which frames of a channel its connections know before these are sent. Versions and positions increase: one comparison
 * with the newest that any connection knows tells that a frame is new to all of them, who then share its bytes.
 */
export class KnownFrames {
  private readonly known = new Map<Connection, AlreadySent>();
  private version = 0;
  private position: Position = '';

  remember(connection: Connection, known: AlreadySent): void {
    const { version, position, replayed } = known;
    if (version === undefined && position === undefined && replayed === undefined) return;
    // Without `has`, which refers to all that the client was sent.
    this.known.set(connection, { version, position, replayed });
    if (version !== undefined) this.version = Math.max(this.version, version);
    for (const each of [position, replayed]) if (each !== undefined && each > this.position) this.position = each;
  }

  forget(connection: Connection): void {
    this.known.delete(connection);
  }

  /** Whether no connection knows the frame. */
  isNewToAll({ change, position }: Frame): boolean {
    return (change === undefined || change.version > this.version) && position > this.position;
  }

  isNews(connection: Connection, frame: Frame): boolean {
    const { change, repeats, reversals, position, isKept } = frame;
    if (frame.isCancelled) return false;
    const known = this.known.get(connection);
    if (reversals && isUndone(reversals, known?.version)) return false;
    if (!known) return true;
    if (change && known.version !== undefined && change.version <= known.version) return false;
    // A connection whose roster predates the first announcement received it; a later roster may have lacked the user.
    if (repeats !== undefined && known.version !== undefined && known.version <= repeats) return false;
    if (isKept && known.replayed !== undefined && position <= known.replayed) return false;
    return known.position === undefined || position > known.position;
  }

  /** Answers for each connection whether it may know one of these frames, which are sent in this order. */
  mayKnow(frames: readonly Frame[]): (connection: Connection) => boolean {
    if (frames.every((frame) => this.isNewToAll(frame))) return nobody;
    const oldest = frames.reduce((least, { change }) => Math.min(least, change?.version ?? Infinity), Infinity);
    const first = frames[0]!.position;
    return (connection) => {
      const { version = 0, position = '', replayed = '' } = this.known.get(connection) ?? {};
      return version >= oldest || position >= first || replayed >= first;
    };
  }

  /** Positions up to this one were sent to all connections, so those that are known are useless if they are older. */
  sent(position: Position): void {
    if (this.position === '' || position <= this.position) return;
    this.position = '';
    for (const [connection, { version }] of this.known)
      if (version === undefined) this.known.delete(connection);
      else this.known.set(connection, { version });
  }
}

const nobody = (): boolean => false;

/** Whether the changes that a connection with a roster of this version lacks cancel each other out. */
const isUndone = (reversals: readonly number[], version = 0): boolean =>
  reversals.filter((each) => each > version).length % 2 === 0;
