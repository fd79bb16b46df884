import { type Awaitable, RookeryError } from '#common';
import type { HistoryBounds } from '../../app/history-rule.js';
import { piecesOf, type StreamEnd, wholeCharacters } from '../../protocol/stream-piece.js';
import { lineOf, linesOf, type PartSource } from './part-source.js';
import { textsOf, type TextSource } from './text-source.js';

/** What an {@link EventStream} needs of its surroundings. */
export interface StreamOutput {
  readonly bounds: HistoryBounds;
  /** Bytes of an event's data. */
  readonly dataBytes: number;
  /** For how long pieces are joined. */
  readonly joinMs: number;
  readonly timeoutMs: number;
  /** Sends events with this data, in order. May fail or throw. */
  send(data: readonly string[]): Awaitable<unknown>;
  /** The stream has ended. */
  closed(): void;
}

interface Ending {
  readonly end: StreamEnd;
  readonly message?: string;
}

const retryMs = 500;
const longestMessage = 500;

/**
 * A text that is sent while it comes into being, as an AI's answer. What is appended in quick succession, or while events
 * are on their way, is sent as one event. Nothing that was appended is lost while the broker is away: it is sent when the
 * broker is back.
 */
export class EventStream {
  /** What the broker has accepted. */
  private accepted = '';
  /** What it has not accepted, or may not have. */
  private tail = '';
  private bytes = 0;
  /** Whether the next event is sent in the next turn. */
  private isNext = false;
  /** Runs until it is sent later. */
  private timer: NodeJS.Timeout | undefined;
  private isSending = false;
  private isClosed = false;
  /** Whether the next event is due even without a text. */
  private isDue = true;
  private ending: Ending | undefined;
  private readonly stopping = new AbortController();
  private steered: (message: unknown) => void = () => {};
  private failingSince: number | undefined;
  private sentAt = -Infinity;
  /** When the history last got the whole text, and how many events and bytes came since. */
  private wholeAt = performance.now();
  private eventsSinceWhole = 0;
  private bytesSinceWhole = 0;
  private readonly silence: NodeJS.Timeout;
  private settle!: (failure?: { readonly error: unknown }) => void;
  private readonly done = new Promise<void>((resolve, reject) => {
    this.settle = (failure) => (failure ? reject(failure.error) : resolve());
  });

  /** `StreamsService.begin` creates it. */
  constructor(
    /** Names the stream in its events. */
    readonly id: string,
    private readonly output: StreamOutput,
  ) {
    this.silence = setTimeout(() => void this.finish({ end: 'timeout' }), output.timeoutMs).unref();
    // Callers of `end` get the failure; without a caller, it must not end the process.
    this.done.catch(() => {});
    this.schedule();
  }

  /**
   * Adds to the text. An empty text shows that the stream goes on, and postpones its time-out.
   * @throws RookeryError when the stream has ended, or when its text would be longer than a quarter of the history
   */
  append(text: string): void {
    if (this.ending) throw new RookeryError('stream_ended', `The stream ${this.id} has ended: ${this.ending.end}`);
    this.bytes += Buffer.byteLength(text);
    if (this.bytes > this.output.bounds.bytes / 4) {
      void this.finish({ end: 'error' });
      throw new RookeryError(
        'stream_too_long',
        `The stream ${this.id} is longer than a quarter of its history: raise bytes in the rule of its channel's history`,
      );
    }
    this.tail += text;
    this.silence.refresh();
    if (text === '' && performance.now() - this.sentAt > this.output.timeoutMs / 4) this.isDue = true;
    if (text !== '' || this.isDue) this.schedule();
  }

  /** Ends the stream. Resolves when the broker has accepted its last event, which contains the whole text. */
  end(): Promise<void> {
    return this.finish({ end: 'done' });
  }

  /**
   * Ends the stream with an error.
   * @param message a text for users
   */
  fail(message?: string): Promise<void> {
    return this.finish({ end: 'error', ...(message !== undefined && { message: message.slice(0, longestMessage) }) });
  }

  /** Aborted when a client asks to stop: give it to the model's call. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  /** Sets the listener for what clients ask to consider while the stream goes on. The messages are unchecked. */
  onSteer(listener: (message: unknown) => void): void {
    this.steered = listener;
  }

  /** What `client-stop` does. The stream goes on until its source ends. */
  stop(): void {
    this.stopping.abort();
  }

  /** What `client-steer` does. */
  steer(message: unknown): void {
    this.steered(message);
  }

  /**
   * Appends what a source brings, and ends with it: texts, the streams of Vercel's AI SDK, those of the libraries of
   * OpenAI, or the body of a response in either format. If the source fails, so does the stream, without telling
   * listeners the reason.
   *
   * @returns the whole text, once the broker has accepted the end
   * @throws what the source threw
   */
  pipe(source: TextSource): Promise<string> {
    return this.take(textsOf(source));
  }

  /** Appends a part: an object that the reader gets as it is. The text of the stream has a line of JSON for each. */
  appendPart(part: object): void {
    this.append(lineOf(part));
  }

  /**
   * The same as {@link pipe}, of parts instead of a text: the chunks of `toUIMessageStream()` of Vercel's AI SDK with
   * reasoning, tools and data, or any objects. A response that carries them is read too.
   *
   * @throws what the source threw
   */
  async pipeParts(source: PartSource): Promise<void> {
    await this.take(linesOf(source));
  }

  private async take(texts: AsyncIterable<string>): Promise<string> {
    try {
      for await (const text of texts) this.append(text);
    } catch (error) {
      // A source that was stopped may say so by an error.
      if (this.ending || !this.signal.aborted) {
        await this.fail().catch(() => {});
        throw error;
      }
    }
    await this.end();
    return this.accepted;
  }

  private finish(ending: Ending): Promise<void> {
    if (!this.ending) {
      this.ending = ending;
      clearTimeout(this.silence);
      this.schedule();
    }
    return this.done;
  }

  private schedule(): void {
    if (this.isNext || this.isSending || this.isClosed) return;
    if (this.timer && !this.ending) return;
    const waitMs = this.ending ? 0 : this.sentAt + this.output.joinMs - performance.now();
    if (waitMs > 0) this.timer = setTimeout(this.step, waitMs);
    else {
      this.isNext = true;
      setImmediate(this.step);
    }
  }

  private readonly step = (): void => {
    this.isNext = false;
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.isClosed || this.isSending) return;
    const { ending } = this;
    const isWhole = ending !== undefined || this.isWholeDue();
    const said = ending ? this.tail : wholeCharacters(this.tail);
    if (said === '' && !this.isDue && !ending) return;
    const piece = isWhole
      ? { stream: this.id, at: 0, text: this.accepted + said, ...ending }
      : { stream: this.id, at: this.accepted.length, text: said };
    const data = piecesOf(piece, this.output.dataBytes);
    this.isDue = false;
    const accepted = (): void => this.wasAccepted(said, data, isWhole, ending);
    try {
      const sent = this.output.send(data);
      if (!(sent instanceof Promise)) return accepted();
      this.isSending = true;
      sent.then(
        () => {
          this.isSending = false;
          accepted();
        },
        (error: unknown) => this.failed(error),
      );
    } catch (error) {
      this.failed(error);
    }
  };

  private wasAccepted(said: string, data: readonly string[], isWhole: boolean, ending: Ending | undefined): void {
    this.accepted += said;
    this.tail = this.tail.slice(said.length);
    this.failingSince = undefined;
    this.sentAt = performance.now();
    if (isWhole) [this.wholeAt, this.eventsSinceWhole, this.bytesSinceWhole] = [this.sentAt, 0, 0];
    this.eventsSinceWhole += data.length;
    for (const each of data) this.bytesSinceWhole += each.length;
    if (ending) return this.close();
    if (this.ending || wholeCharacters(this.tail) !== '') this.schedule();
  }

  /** All of it is sent again: it may have arrived or not, and listeners bear both. */
  private failed(error: unknown): void {
    this.isSending = true;
    this.isDue = true;
    const now = performance.now();
    this.failingSince ??= now;
    if (now - this.failingSince > this.output.timeoutMs) return this.close({ error });
    setTimeout(() => {
      this.isSending = false;
      this.step();
    }, retryMs);
  }

  private close(failure?: { readonly error: unknown }): void {
    this.ending ??= { end: 'error' };
    this.isClosed = true;
    clearTimeout(this.silence);
    this.settle(failure);
    this.output.closed();
  }

  /** Before the history drops the beginning, it gets the text as a whole. */
  private isWholeDue(): boolean {
    const { events, seconds, bytes } = this.output.bounds;
    return (
      this.eventsSinceWhole > 0 &&
      (this.eventsSinceWhole * 2 >= events ||
        this.bytesSinceWhole * 2 >= bytes ||
        (performance.now() - this.wholeAt) * 2 >= seconds * 1000)
    );
  }
}
