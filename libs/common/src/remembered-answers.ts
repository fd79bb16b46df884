/** About how much memory an entry takes besides the characters of its key. */
const entryBytes = 200;

interface Half<Answer> {
  readonly answers: Map<string, Answer>;
  bytes: number;
}

const empty = <Answer>(): Half<Answer> => ({ answers: new Map(), bytes: 0 });

export interface RememberedAnswersOptions<Answer> {
  /** How long each is kept at least, in milliseconds, as long as there is room. @default 60000 */
  readonly keepMs?: number;
  /** The bytes of all, with their keys: clients may choose the keys. Beyond it, the oldest are forgotten. @default 8 MiB */
  readonly maxBytes?: number;
  /** The characters in an answer, if clients choose them too. */
  readonly charactersOf?: (answer: Answer) => number;
  /** Called with answers that are forgotten because of their age or number. */
  readonly forgotten?: (answers: Iterable<Answer>) => void;
}

/**
 * The latest answers by key, for callers that repeat a call because an answer was lost. Each is kept for `keepMs` to
 * twice as long: two maps that take turns, so that one timer serves all answers. They take turns early when the current
 * map holds half of `maxBytes`.
 */
export class RememberedAnswers<Answer> {
  private current = empty<Answer>();
  private previous = empty<Answer>();
  private timer: NodeJS.Timeout | undefined;
  private readonly keepMs: number;
  private readonly maxBytes: number;
  private readonly charactersOf: (answer: Answer) => number;
  private readonly forgotten: (answers: Iterable<Answer>) => void;

  constructor(options: RememberedAnswersOptions<Answer> = {}) {
    this.keepMs = options.keepMs ?? 60_000;
    this.maxBytes = options.maxBytes ?? 8 * 1024 * 1024;
    this.charactersOf = options.charactersOf ?? (() => 0);
    this.forgotten = options.forgotten ?? (() => {});
  }

  get(key: string): Answer | undefined {
    return this.current.answers.get(key) ?? this.previous.answers.get(key);
  }

  set(key: string, answer: Answer): void {
    this.delete(key);
    const bytes = this.bytesOf(key, answer);
    if (this.current.bytes + bytes > this.maxBytes / 2) this.turn();
    this.current.answers.set(key, answer);
    this.current.bytes += bytes;
    this.timer ??= this.nextTurn();
  }

  delete(key: string): void {
    this.deleteFrom(this.current, key);
    this.deleteFrom(this.previous, key);
  }

  /** Everything remembered. */
  *entries(): Iterable<readonly [key: string, answer: Answer]> {
    yield* this.current.answers;
    yield* this.previous.answers;
  }

  private deleteFrom(half: Half<Answer>, key: string): void {
    // Most often nothing is remembered, and a lookup of a long key is not free.
    const answer = half.answers.size === 0 ? undefined : half.answers.get(key);
    if (answer !== undefined && half.answers.delete(key)) half.bytes -= this.bytesOf(key, answer);
  }

  private turn(): void {
    clearTimeout(this.timer);
    if (this.previous.answers.size > 0) this.forgotten(this.previous.answers.values());
    this.previous = this.current;
    this.current = empty();
    this.timer = this.previous.answers.size > 0 ? this.nextTurn() : undefined;
  }

  /** The timer does not keep the process alive. */
  private nextTurn(): NodeJS.Timeout {
    return setTimeout(() => this.turn(), this.keepMs).unref();
  }

  /** Characters may take two bytes. */
  private bytesOf(key: string, answer: Answer): number {
    return entryBytes + 2 * (key.length + this.charactersOf(answer));
  }
}
