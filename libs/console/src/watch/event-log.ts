import type { ObservedEvent } from 'rookery/channels';

/** An event of the log; its text is as its subscribers received it. */
export interface LoggedEvent {
  readonly order: number;
  readonly at: number;
  readonly appId: string;
  readonly position: string;
  readonly except: string;
  readonly text: string;
  readonly isSent: boolean;
  readonly isPassed: boolean;
  readonly isOfClient: boolean;
}

/** Where a record is. */
export interface RecordSlot {
  readonly bytes: Buffer;
  readonly at: number;
}

export const sentHere = 1;
export const passedHere = 2;
export const ofClient = 4;

const partCount = 16;
// A record: the size of its text, time, order, flags, the lengths of position, excluded socket and app id; the text.
const [timeAt, orderAt, flagsAt, positionLengthAt, exceptLengthAt, appIdLengthAt, headBytes] = [
  4, 12, 20, 21, 22, 23, 25,
];

/**
 * The latest events, as bytes in a fixed amount of memory. As objects, which live for minutes, they would have to be
 * copied by the garbage collector again and again, which costs several times as much.
 */
export class EventLog {
  /** Whether older events have made room. */
  hasDropped = false;
  private readonly parts: Part[] = [];
  private current = -1;
  private readonly partBytes: number;

  constructor(maxBytes: number) {
    this.partBytes = Math.floor(maxBytes / partCount);
  }

  /** @returns the place of the record, for {@link flag}; undefined if it is too large */
  add(event: ObservedEvent, position: string, flags: number, order: number, at: number): RecordSlot | undefined {
    const { appId, text, except = '' } = event;
    const record = `${position}${except}${appId}${text}`;
    // In UTF-8, a character of a text takes at most 3 bytes.
    const part = this.partFor(headBytes + 3 * record.length);
    if (!part || position.length > 255 || except.length > 255 || appId.length > 65_535) return undefined;
    const { bytes, view, used } = part;
    const size = bytes.write(record, used + headBytes);
    // Half as expensive as the methods of Buffer.
    view.setUint32(used, size, true);
    view.setFloat64(used + timeAt, at, true);
    view.setFloat64(used + orderAt, order, true);
    bytes[used + flagsAt] = flags;
    bytes[used + positionLengthAt] = position.length;
    bytes[used + exceptLengthAt] = except.length;
    view.setUint16(used + appIdLengthAt, appId.length, true);
    part.used += headBytes + size;
    return { bytes, at: used };
  }

  /** Adds flags to the record just added. */
  flag({ bytes, at }: RecordSlot, flags: number): void {
    bytes[at + flagsAt]! |= flags;
  }

  /** When the oldest event was added; undefined if there is none. */
  get oldestAt(): number | undefined {
    for (const { bytes, at } of this.places()) return bytes.readDoubleLE(at + timeAt);
    return undefined;
  }

  /** The events at a position, of any app and channel, the oldest first. */
  *at(position: string): Iterable<LoggedEvent> {
    for (const place of this.places()) {
      const { bytes, at } = place;
      // Positions are ASCII: as many bytes as characters.
      if (
        bytes[at + positionLengthAt] === position.length &&
        bytes.toString('latin1', at + headBytes, at + headBytes + position.length) === position
      )
        yield read(place);
    }
  }

  /** All events, the latest first. */
  *backwards(): Iterable<LoggedEvent> {
    for (let n = partCount; n > 0; n--)
      for (const place of [...this.placesIn(this.parts[(this.current + n) % partCount])].toReversed())
        yield read(place);
  }

  /** The oldest first. */
  private *places(): Iterable<RecordSlot> {
    for (let n = 1; n <= partCount; n++) yield* this.placesIn(this.parts[(this.current + n) % partCount]);
  }

  private *placesIn(part: Part | undefined): Iterable<RecordSlot> {
    if (!part) return;
    const { bytes, used } = part;
    for (let at = 0; at < used; at += headBytes + bytes.readUInt32LE(at)) yield { bytes, at };
  }

  /** The part with that much room: the current one, or the next, whose events are dropped. */
  private partFor(bytes: number): Part | undefined {
    const part = this.parts[this.current];
    if (part && part.used + bytes <= this.partBytes) return part;
    if (bytes > this.partBytes) {
      this.hasDropped = true;
      return undefined;
    }
    this.current = (this.current + 1) % partCount;
    const next = (this.parts[this.current] ??= newPart(this.partBytes));
    this.hasDropped ||= next.used > 0;
    next.used = 0;
    return next;
  }
}

/** Memory for a share of the events. */
interface Part {
  readonly bytes: Buffer;
  readonly view: DataView;
  used: number;
}

function newPart(size: number): Part {
  const bytes = Buffer.allocUnsafeSlow(size);
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, size), used: 0 };
}

function read({ bytes, at }: RecordSlot): LoggedEvent {
  const [size, positionLength, exceptLength] = [
    bytes.readUInt32LE(at),
    bytes[at + positionLengthAt]!,
    bytes[at + exceptLengthAt]!,
  ];
  const flags = bytes[at + flagsAt]!;
  const record = bytes.toString('utf8', at + headBytes, at + headBytes + size);
  const ends = [positionLength, positionLength + exceptLength];
  const appIdEnd = ends[1]! + bytes.readUInt16LE(at + appIdLengthAt);
  return {
    order: bytes.readDoubleLE(at + orderAt),
    at: bytes.readDoubleLE(at + timeAt),
    position: record.slice(0, ends[0]),
    except: record.slice(ends[0], ends[1]),
    appId: record.slice(ends[1], appIdEnd),
    text: record.slice(appIdEnd),
    isSent: (flags & sentHere) !== 0,
    isPassed: (flags & passedHere) !== 0,
    isOfClient: (flags & ofClient) !== 0,
  };
}
