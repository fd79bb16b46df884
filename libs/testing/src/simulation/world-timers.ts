import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { promisify } from 'node:util';
import type { WorldEvent } from './event-queue.js';
import type { World } from './world.js';

let world: World | undefined;
let belongs: () => boolean;
let restore: (() => void) | undefined;

function here(): World {
  if (!world) throw new Error('No world is inhabited');
  return world;
}

type Call = (...given: unknown[]) => void;

/** A timer as Node returns it. */
class WorldTimer implements Disposable {
  private event: WorldEvent;
  private readonly world = here();
  private readonly party = this.world.party;

  constructor(
    private readonly call: () => void,
    private readonly delayMs: number,
    private readonly repeats: boolean,
  ) {
    this.event = this.start();
  }

  close(): this {
    this.event.isCancelled = true;
    return this;
  }

  refresh(): this {
    this.close().event = this.start();
    return this;
  }

  // Nothing here keeps a process alive.
  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return false;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  private start(): WorldEvent {
    const fire = (): void => {
      if (this.repeats) this.event = this.start();
      this.call();
    };
    return this.world.after(this.delayMs, fire, this.party);
  }
}

/**
 * From now on, timers and clocks of this process are those of this world.
 *
 * @param isOfWorld whether the code that asks belongs to the world: other code keeps Node's own. @default all code does
 */
export function inhabit(next: World, isOfWorld: () => boolean = () => true): void {
  restore ??= install();
  world = next;
  belongs = isOfWorld;
}

/** From now on, they are Node's own again. */
export function leave(): void {
  restore?.();
  restore = undefined;
  world = undefined;
}

/**
 * Replaces everything by which code in this process reads the time, waits, or gets random numbers. Random ids and socket
 * ids stay random, so nothing may depend on them; the hash of the trace shows if something does.
 *
 * @returns what restores Node's own
 */
function install(): () => void {
  const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, Date } = globalThis;
  const globals = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, Date };
  const waits = { setTimeout: timers.setTimeout, setImmediate: timers.setImmediate };
  const [{ now }, { random }, RealDate] = [performance, Math, Date];
  const start = (call: Call, delayMs: unknown, repeats: boolean, given: unknown[]) =>
    new WorldTimer(() => call(...given), milliseconds(delayMs), repeats);
  const after = (call: Call, delayMs?: unknown, ...given: unknown[]) =>
    belongs() ? start(call, delayMs, false, given) : setTimeout(call, delayMs as number, ...given);
  const each = (call: Call, delayMs?: unknown, ...given: unknown[]) =>
    belongs() ? start(call, delayMs, true, given) : setInterval(call, delayMs as number, ...given);
  const soon = (call: Call, ...given: unknown[]) =>
    belongs() ? new WorldTimer(() => call(...given), 0, false) : setImmediate(call, ...given);
  // Timers from before are Node's.
  const clearing =
    (real: (timer?: NodeJS.Timeout) => void) =>
    (timer?: unknown): void => {
      if (timer instanceof WorldTimer) timer.close();
      else real(timer as NodeJS.Timeout);
    };
  const sleep = (delayMs?: number, value?: unknown, options: { readonly signal?: AbortSignal } = {}) => {
    if (!belongs()) return waits.setTimeout(delayMs, value, options);
    const { signal } = options;
    return new Promise((resolve, reject) => {
      const aborted = (): void => {
        timer.close();
        reject(signal!.reason as Error);
      };
      const ended = (): void => {
        signal?.removeEventListener('abort', aborted);
        resolve(value);
      };
      const timer = start(ended, delayMs, false, []);
      if (signal?.aborted) aborted();
      else signal?.addEventListener('abort', aborted, { once: true });
    });
  };
  const turn = (value?: unknown) => new Promise((resolve) => soon(() => resolve(value)));
  const date = (): number => (belongs() ? here().date : RealDate.now());
  Object.assign(globalThis, {
    setTimeout: Object.assign(after, { [promisify.custom]: sleep }),
    setInterval: each,
    setImmediate: Object.assign(soon, { [promisify.custom]: turn }),
    clearTimeout: clearing(clearTimeout),
    clearInterval: clearing(clearInterval),
    clearImmediate: clearing(clearImmediate as unknown as typeof clearTimeout),
    Date: new Proxy(RealDate, {
      construct: (Date, given: [], target) =>
        Reflect.construct(Date, given.length > 0 ? given : [date()], target) as Date,
      apply: () => new RealDate(date()).toString(),
      get: (Date, name) => (name === 'now' ? date : (Reflect.get(Date, name) as unknown)),
    }),
  });
  performance.now = () => (belongs() ? here().now : now.call(performance));
  // At a start, Nest draws the ids of modules, which classes keep for the next run: the same ones would meet there.
  Math.random = () => (belongs() && !here().isStill ? here().random('Math.random').next() : random());
  Object.assign(timers, { setTimeout: sleep, setImmediate: turn });
  syncBuiltinESMExports();
  return () => {
    Object.assign(globalThis, globals);
    performance.now = now;
    Math.random = random;
    Object.assign(timers, waits);
    syncBuiltinESMExports();
  };
}

/** Reads a delay as Node does: at least one, and one if it is too long. */
function milliseconds(given: unknown): number {
  const delayMs = Number(given);
  return delayMs >= 1 && delayMs <= 2_147_483_647 ? delayMs : 1;
}
