import { promisify } from 'node:util';
import { MovedTimer, type TimerClock } from './moved-timer.js';

/** The functions of any clock that clear timers. */
const clearing = new WeakSet<typeof clearTimeout>();

/** Node's own functions, whatever replaces them later. */
interface Real extends Pick<
  typeof globalThis,
  'Date' | 'setTimeout' | 'setInterval' | 'clearTimeout' | 'clearInterval'
> {
  readonly performanceNow: () => number;
}

/** Real time given to network peers for each skipped second. */
const breathMs = 1;
/** Skipped seconds in which no timer fires, after which the clock goes to the next timer at once. */
const quietSeconds = 60;
/** Turns of the event loop after each timer: messages within the process arrive and are answered. */
const turns = 4;

/**
 * The time of this process, which runs as usual and can be advanced. While installed, it replaces `Date`,
 * `performance.now`, `setTimeout` and `setInterval`, so timeouts of Rookery, of the application and of the test follow
 * it. Systems with a clock of their own do not: Redis, databases, other processes, `AbortSignal.timeout` and
 * node:timers/promises.
 */
export class TestClock implements TimerClock {
  private static installed: { readonly clock: TestClock; users: number } | undefined;
  readonly timers = new Set<MovedTimer>();
  readonly real: Real = {
    Date: globalThis.Date,
    setTimeout: globalThis.setTimeout,
    setInterval: globalThis.setInterval,
    clearTimeout: globalThis.clearTimeout,
    clearInterval: globalThis.clearInterval,
    performanceNow: performance.now,
  };
  private movedMs = 0;

  /** Installs the clock; a second call before it is removed shares it. */
  static install(): TestClock {
    TestClock.installed ??= { clock: new TestClock().begin(), users: 0 };
    TestClock.installed.users += 1;
    return TestClock.installed.clock;
  }

  /** Restores the original functions. Running timers fire at their time, unless they are cleared. */
  uninstall(): void {
    const { installed } = TestClock;
    if (installed?.clock !== this || --installed.users > 0) return;
    TestClock.installed = undefined;
    const { performanceNow, clearTimeout, clearInterval, ...globals } = this.real;
    Object.assign(globalThis, globals);
    // Node's own functions cannot clear the timers of this clock.
    if (this.timers.size === 0) Object.assign(globalThis, { clearTimeout, clearInterval });
    performance.now = performanceNow;
  }

  /** Milliseconds since the process began, including skipped time. */
  now(): number {
    return this.real.performanceNow.call(performance) + this.movedMs;
  }

  /**
   * Skips time: all timers that fall due in it fire in order, each at its own time, and messages that they send within
   * this process are answered before the next timer. A minute takes about a tenth of a second; of a longer time in which
   * no timer fires, only the first minute takes any.
   */
  async advance(milliseconds: number): Promise<void> {
    const end = this.now() + milliseconds;
    await this.settle();
    let quiet = 0;
    while (this.now() < end) {
      const second = this.now() + 1000;
      const next = quiet < quietSeconds ? second : Math.max(second, this.due(end)?.dueAt ?? end);
      quiet = (await this.pass(Math.min(end, next))) ? 0 : quiet + 1;
      await new Promise((resolve) => this.real.setTimeout(resolve, breathMs));
    }
    await this.settle();
  }

  /** Fires the timers that are due by then, and says whether there was one. */
  private async pass(until: number): Promise<boolean> {
    let fired = false;
    for (let timer = this.due(until); timer; timer = this.due(until)) {
      this.moveTo(timer.dueAt);
      timer.fire();
      fired = true;
      await this.settle();
    }
    this.moveTo(until);
    // Timers that wait in real time have less to wait.
    for (const timer of this.timers) timer.wait();
    return fired;
  }

  /** The first timer that is due by then. */
  private due(until: number): MovedTimer | undefined {
    let first: MovedTimer | undefined;
    for (const timer of this.timers) if (timer.dueAt <= until && !(first && first.dueAt <= timer.dueAt)) first = timer;
    return first;
  }

  private moveTo(time: number): void {
    this.movedMs += Math.max(0, time - this.now());
  }

  private async settle(): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  private begin(): this {
    const start = (call: (...given: unknown[]) => void, delayMs: unknown, repeats: boolean, given: unknown[]) =>
      new MovedTimer(this, () => call(...given), milliseconds(delayMs), repeats);
    const after = (call: (...given: unknown[]) => void, delayMs?: unknown, ...given: unknown[]) =>
      start(call, delayMs, false, given);
    const each = (call: (...given: unknown[]) => void, delayMs?: unknown, ...given: unknown[]) =>
      start(call, delayMs, true, given);
    const sleep = (delayMs: number, value: unknown) => new Promise((resolve) => after(() => resolve(value), delayMs));
    Object.assign(globalThis, {
      Date: this.movedDate(),
      setTimeout: Object.assign(after, { [promisify.custom]: sleep }),
      setInterval: each,
      clearTimeout: this.clearing(this.real.clearTimeout),
      clearInterval: this.clearing(this.real.clearInterval),
    });
    performance.now = () => this.now();
    return this;
  }

  /** Timers from before the clock are Node's, and those of an earlier clock may still be running. */
  private clearing(real: typeof clearTimeout): typeof clearTimeout {
    if (clearing.has(real)) return real;
    const clear = (timer?: MovedTimer | Parameters<typeof clearTimeout>[0]): void => {
      if (timer instanceof MovedTimer) timer.close();
      else real(timer);
    };
    clearing.add(clear);
    return clear;
  }

  private movedDate(): DateConstructor {
    const now = (): number => this.real.Date.now() + Math.floor(this.movedMs);
    return new Proxy(this.real.Date, {
      construct: (Date, given: [], target) =>
        Reflect.construct(Date, given.length > 0 ? given : [now()], target) as Date,
      apply: (Date) => new Date(now()).toString(),
      get: (Date, name) => (name === 'now' ? now : (Reflect.get(Date, name) as unknown)),
    });
  }
}

/** Reads a delay as Node does: at least one, and one if it is too long. */
function milliseconds(given: unknown): number {
  const delayMs = Number(given);
  return delayMs >= 1 && delayMs <= 2_147_483_647 ? delayMs : 1;
}
