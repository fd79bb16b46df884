import type { BrokerEvent, MemberChange, Position } from '../broker/broker.js';
import type { Encoding } from '../connections/transport.js';
import { placed } from '../protocol/frames.js';

/** An event on its way to this process's connections, framed once for each kind of transport. */
export class Frame {
  readonly text: string;
  /** The text without a position. */
  readonly event: string;
  readonly except: string | undefined;
  readonly change: MemberChange | undefined;
  /** Whether the channel's history keeps the event: the frame then carries its position. */
  readonly isKept: boolean;
  /**
   * Up to this version, connections know what the frame says: the user's change before was the same, because the one in
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
  private encoding: Encoding | undefined;
  private encoded: Buffer = empty;

  constructor(
    { text, except, change, history }: Pick<BrokerEvent, 'text' | 'except' | 'change' | 'history'>,
    readonly position: Position,
    /** Called for each client that says that it has handled the event; if set, clients are asked. */
    readonly handled?: () => void,
  ) {
    this.isKept = history !== undefined;
    this.event = text;
    this.text = this.isKept ? placed(text, position) : text;
    this.except = except;
    this.change = change;
  }

  /** Whether it concerns some connections in another way than the others, whatever they know. */
  get isForEachAlone(): boolean {
    return this.repeats !== undefined || this.reversals !== undefined || this.handled !== undefined;
  }

  bytes(encoding: Encoding): Buffer {
    if (encoding !== this.encoding) {
      this.encoding = encoding;
      this.encoded = encoding.encode(this.text);
    }
    return this.encoded;
  }
}

/** Frames that are due together, joined once for each kind of transport. */
export class JoinedFrames {
  private encoding: Encoding | undefined;
  private joined: Buffer = empty;

  constructor(private readonly frames: readonly Frame[]) {}

  bytes(encoding: Encoding): Buffer {
    if (encoding !== this.encoding) {
      this.encoding = encoding;
      const [first, ...others] = this.frames.map((frame) => frame.bytes(encoding));
      this.joined = first && others.length === 0 ? first : Buffer.concat(first ? [first, ...others] : []);
    }
    return this.joined;
  }
}

const empty = Buffer.alloc(0);
