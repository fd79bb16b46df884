import type { HistoryBounds } from '../../app/history-rule.js';
import type { HistoryPage, Position } from '../../broker/broker.js';
import type { SharedText, SharedTexts } from '../../connections/shared-text.js';
import { channelEvent, placed } from '../../protocol/frames.js';
import { type NamedPiece, pieceOf, piecesOf, type StreamEnd } from '../../protocol/stream-piece.js';

/** The known part of a stream. */
export interface Streamed {
  readonly event: string;
  readonly id: string;
  /** Undefined if its beginning is unknown. */
  readonly text: string | undefined;
  readonly end: StreamEnd | undefined;
  readonly message: string | undefined;
}

/** A stream while pieces are added. */
interface Growing {
  readonly event: string;
  readonly id: string;
  text: string | undefined;
  end: StreamEnd | undefined;
  message: string | undefined;
  /** The position of its latest piece. */
  position: Position;
  /** The time of its latest piece, by performance.now(). */
  at: number;
  /** Runs while it goes on. */
  timer: NodeJS.Timeout | undefined;
  /** What a new subscriber is sent; absent until one comes. */
  catchUp: readonly SharedText[] | undefined;
}

/** What a new subscriber of a channel is sent. */
export interface CatchUp {
  readonly texts: readonly SharedText[];
  /** The position up to which it contains all pieces. */
  readonly to: Position;
}

/** What {@link ChannelStreams} needs of its surroundings. */
export interface StreamsSurroundings {
  readonly channel: string;
  readonly bounds: HistoryBounds;
  /** Bytes of an event's data. */
  readonly dataBytes: number;
  /** Keeps the texts encoded. */
  readonly texts: SharedTexts;
  /** How long a stream may be silent. */
  readonly silenceMs: number;
  /** Reads the channel's history. */
  read(limit: number, after?: Position): Promise<HistoryPage>;
  /** A stream has been silent for too long. Called again after as long, until the stream goes on or ends. */
  silent(stream: Streamed): void;
}

const pageEvents = 250;

/**
 * The streams of one channel that has subscribers in this process: first read from the history, then kept up to date
 * with the events that arrive, so that new subscribers are sent what was said without reading it again. Pieces may come
 * twice and overlap: a text only grows.
 */
export class ChannelStreams {
  private readonly streams = new Map<string, Growing>();
  /** Pieces that arrive while the history is being read. */
  private early: [piece: NamedPiece, position: Position][] | undefined;
  private reading: Promise<void> | undefined;
  private latestReading: Promise<void> = Promise.resolve();
  private to: Position = '';
  private isClosed = false;
  /** The length of all texts. */
  private length = 0;

  constructor(private readonly of: StreamsSurroundings) {}

  /** Resolves once everything before this process's subscription is known. A failed call is repeated by the next. */
  ready(): Promise<void> {
    this.reading ??= this.readAfter(this.latestReading);
    return this.reading;
  }

  /** Pieces may have been lost: the next caller of {@link ready} reads the history again. */
  mayLack(): void {
    this.reading = undefined;
  }

  /** @returns whether the event is a piece of a stream */
  passed(text: string, position: Position): boolean {
    const piece = pieceOf(text);
    if (!piece) return false;
    if (this.early) this.early.push([piece, position]);
    else this.add(piece, position);
    return true;
  }

  /** All streams that the history covers, to be sent at once. */
  catchUp(): CatchUp {
    this.forget();
    return { texts: [...this.streams.values()].flatMap((stream) => this.textsOf(stream)), to: this.to };
  }

  /** The channel has no more subscribers here. */
  close(): void {
    this.isClosed = true;
    for (const stream of this.streams.values()) {
      clearTimeout(stream.timer);
      forgetCatchUp(stream);
    }
  }

  /** One at a time. */
  private readAfter(before: Promise<void>): Promise<void> {
    const reading = before.then(() => this.read());
    this.latestReading = reading.catch(() => {
      if (this.reading === reading) this.reading = undefined;
    });
    return reading;
  }

  private async read(): Promise<void> {
    this.early = [];
    try {
      let after: Position | undefined;
      for (let isMore = true; isMore;) {
        const { events } = await this.of.read(pageEvents, after);
        for (const { text, position } of events) {
          const piece = pieceOf(text);
          if (piece) this.add(piece, position);
        }
        after = events.at(-1)?.position;
        isMore = events.length === pageEvents;
      }
    } finally {
      for (const [piece, position] of this.early) this.add(piece, position);
      this.early = undefined;
    }
  }

  private add({ event, stream: id, at, text, end, message }: NamedPiece, position: Position): void {
    if (this.isClosed) return;
    const key = `${event}\n${id}`;
    let stream = this.streams.get(key);
    if (!stream) {
      stream = { event, id, position, text: undefined, end, message, at: 0, timer: undefined, catchUp: undefined };
      this.streams.set(key, stream);
    }
    const known = stream.text?.length ?? 0;
    if (at <= known && at + text.length <= this.of.bounds.bytes) {
      stream.text ??= '';
      if (at + text.length > known) stream.text += text.slice(known - at);
      this.length += stream.text.length - known;
    }
    forgetCatchUp(stream);
    if (this.length > this.of.bounds.bytes) this.makeRoom();
    if (position > this.to) this.to = position;
    if (position < stream.position) return;
    stream.position = position;
    stream.at = performance.now();
    stream.end = end;
    stream.message = message;
    if (end === undefined) this.await(stream);
    else {
      clearTimeout(stream.timer);
      stream.timer = undefined;
      this.forget();
    }
  }

  private await(stream: Growing): void {
    if (stream.timer) stream.timer.refresh();
    else stream.timer = setTimeout(() => this.silent(stream), this.of.silenceMs).unref();
  }

  private silent(stream: Growing): void {
    stream.timer?.refresh();
    this.of.silent(stream);
  }

  private textsOf(stream: Growing): readonly SharedText[] {
    stream.catchUp ??= this.written(stream);
    return stream.catchUp;
  }

  private written({ event, id, text, end, message, position }: Growing): readonly SharedText[] {
    if (text === undefined) return [];
    const whole = { stream: id, at: 0, text, ...(end && { end }), ...(message !== undefined && { message }) };
    return piecesOf(whole, this.of.dataBytes).map((data) =>
      this.of.texts.of(placed(channelEvent(event, this.of.channel, data), position)),
    );
  }

  /** Forgets ended streams when the history does, the earliest first. */
  private forget(): void {
    const since = performance.now() - this.of.bounds.seconds * 1000;
    let over = this.streams.size - this.of.bounds.events;
    for (const [key, { end, at }] of this.streams)
      if (end !== undefined && (at < since || over > 0)) {
        this.drop(key);
        over--;
      }
  }

  /** The history has no room for all texts either: those that ended are forgotten, and of others how they began. */
  private makeRoom(): void {
    for (const isEnded of [true, false])
      for (const [key, stream] of this.streams) {
        if (this.length <= this.of.bounds.bytes) return;
        if (isEnded && stream.end !== undefined) this.drop(key);
        else if (!isEnded) this.forgetText(stream);
      }
  }

  private drop(key: string): void {
    this.forgetText(this.streams.get(key)!);
    this.streams.delete(key);
  }

  private forgetText(stream: Growing): void {
    this.length -= stream.text?.length ?? 0;
    stream.text = undefined;
    forgetCatchUp(stream);
  }
}

function forgetCatchUp(stream: Growing): void {
  for (const text of stream.catchUp ?? []) text.forget();
  stream.catchUp = undefined;
}
