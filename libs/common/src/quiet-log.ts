const quietMs = 10_000;
const linesAtOnce = 5;

/** Writes lines of one kind: five in ten seconds, then one for those that came after them. */
export class QuietLog {
  private lines = 0;
  private latest = '';
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly write: (line: string) => void) {}

  add(line: string): void {
    this.timer ??= setTimeout(() => this.end(), quietMs).unref();
    this.lines += 1;
    this.latest = line;
    if (this.lines <= linesAtOnce) this.write(line);
  }

  /** Writes what is held back. To be called at the shutdown, too: otherwise it is written afterwards, or never. */
  end(): void {
    clearTimeout(this.timer);
    const more = this.lines - linesAtOnce - 1;
    if (more === 0) this.write(this.latest);
    else if (more > 0) this.write(`${this.latest} (and ${more} more of this kind)`);
    this.timer = undefined;
    this.lines = 0;
  }
}
