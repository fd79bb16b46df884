import type { BrokerEvent, MemberChange, Position } from '../broker/broker.js';
import type { Connection } from '../connections/connection.js';
import type { Encoding } from '../connections/transport.js';
import { placed } from '../protocol/frames.js';

/** What is done for a connection directly after it was sent an event, such as asking it whether it has handled it. */
export type OnSent = (connection: Connection) => void;

const empty = Buffer.alloc(0);

/** Bytes that are made once for each encoding. Nearly all connections of a channel have the same one. */
abstract class EncodedOnce {
  private encoding: Encoding | undefined;
  private encoded: Buffer = empty;
  /** By encoding; absent while there is only one. */
  private all: Map<Encoding, Buffer> | undefined;

  bytes(encoding: Encoding): Buffer {
    if (encoding !== this.encoding) {
      this.encoded = this.made(encoding);
      this.encoding = encoding;
    }
    return this.encoded;
  }

  private made(encoding: Encoding): Buffer {
    if (this.encoding === undefined) return this.encode(encoding);
    this.all ??= new Map([[this.encoding, this.encoded]]);
    const bytes = this.all.get(encoding) ?? this.encode(encoding);
    this.all.set(encoding, bytes);
    return bytes;
  }

  protected abstract encode(encoding: Encoding): Buffer;
}

/** An event on its way to this process's connections, framed once for each kind of transport. */
export class Frame extends EncodedOnce {
  readonly text: string;
  /** The text without a position. */
  readonly event: string;
  readonly except: string | undefined;
  readonly change: MemberChange | undefined;
  /** Whether the channel's history keeps the event: the frame then carries its position. */
  readonly isKept: boolean;
  /**
   * Skip connections whose roster is at or below this version: the user's change before was the same, because the one in
   * between was overtaken, or shared state was lost.
   */
  repeats: number | undefined;
  /**
   * The versions of the changes that the frame stands for, if it is not only its own: each reverses the one before, and
   * all but the last are cancelled.
   */
  reversals: readonly number[] | undefined;
  /** Whether a later change has cancelled this one before it was sent. */
  isCancelled = false;

  constructor(
    { text, except, change, history }: Pick<BrokerEvent, 'text' | 'except' | 'change' | 'history'>,
    readonly position: Position,
    /** Called for each connection that is sent the frame. */
    readonly onSent?: OnSent,
  ) {
    super();
    this.isKept = history !== undefined;
    this.event = text;
    this.text = this.isKept ? placed(text, position) : text;
    this.except = except;
    this.change = change;
  }

  /** Whether it concerns some connections in another way than the others, whatever they know. */
  get isForEachAlone(): boolean {
    return this.repeats !== undefined || this.reversals !== undefined || this.onSent !== undefined;
  }

  protected encode(encoding: Encoding): Buffer {
    return encoding.encodeShared(this.text);
  }
}

/** Frames that are due together, joined once for each kind of transport. */
export class JoinedFrames extends EncodedOnce {
  constructor(private readonly frames: readonly Frame[]) {
    super();
  }

  protected encode(encoding: Encoding): Buffer {
    const [first, ...others] = this.frames.map((frame) => frame.bytes(encoding));
    return first && others.length === 0 ? first : Buffer.concat(first ? [first, ...others] : []);
  }
}
