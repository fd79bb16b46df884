import { type Profiler, Session } from 'node:inspector';

/** For each character of a script, whether it has run. */
type Ran = Uint8Array;

/** What ran since the last look and never before. */
export interface NewCode {
  /** From now on it is not new. */
  readonly remember: () => void;
}

/** Which code has run, from V8's own counters: nothing is instrumented, so inputs run at full speed between two looks. */
export class Coverage {
  private readonly session = new Session();
  private readonly scripts = new Map<string, Ran>();

  /** @param isWatched of a script, by its URL */
  constructor(private readonly isWatched: (url: string) => boolean) {
    this.session.connect();
    this.session.post('Profiler.enable');
    this.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** The code that has run since the last look and is not remembered. */
  look(): NewCode | undefined {
    const fresh: [ran: Ran, at: number][] = [];
    for (const { url, functions } of this.taken())
      if (this.isWatched(url)) for (const { ranges } of functions) this.compare(url, ranges, fresh);
    if (fresh.length === 0) return undefined;
    return { remember: () => fresh.forEach(([ran, at]) => (ran[at] = 1)) };
  }

  /** How many characters of the scripts have run and are remembered. */
  get reached(): number {
    return [...this.scripts.values()].reduce((all, ran) => ran.reduce((sum, each) => sum + each, all), 0);
  }

  /** Counts from here: what has run since the last look is forgotten. */
  forget(): void {
    this.taken();
  }

  stop(): void {
    this.session.disconnect();
  }

  /** V8 sets its counters back with each look. */
  private taken(): Profiler.ScriptCoverage[] {
    let result: Profiler.ScriptCoverage[] = [];
    // The inspector of its own process answers before it returns.
    this.session.post('Profiler.takePreciseCoverage', (error, taken) => {
      if (error) throw error;
      result = taken.result;
    });
    return result;
  }

  /** A function's ranges lie within each other, and an inner one counts in place of its outer one. */
  private compare(url: string, ranges: readonly Profiler.CoverageRange[], fresh: [Ran, number][]): void {
    const [whole] = ranges;
    if (!whole || ranges.every(({ count }) => count === 0)) return;
    const { startOffset: start, endOffset: end } = whole;
    const ran = new Uint8Array(end - start);
    for (const { startOffset, endOffset, count } of ranges)
      ran.fill(count > 0 ? 1 : 0, startOffset - start, endOffset - start);
    const before = this.ranOf(url, end);
    for (let at = 0; at < ran.length; at++)
      if (ran[at] === 1 && before[start + at] === 0) fresh.push([before, start + at]);
  }

  private ranOf(url: string, size: number): Ran {
    const known = this.scripts.get(url);
    if (known && known.length >= size) return known;
    const ran = new Uint8Array(2 * size);
    if (known) ran.set(known);
    this.scripts.set(url, ran);
    return ran;
  }
}
