import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { promisify } from 'node:util';
import type { WorldEvent } from './event-queue.js';
import type { World } from './world.js';

let world: World | undefined;
let restore: (() => void) | undefined;

function here(): World {
  if (!world) throw new Error('No world is inhabited');
  return world;
}

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

/** From now on, timers and clocks of this process are those of this world. */
export function inhabit(next: World): void {
  restore ??= install();
  world = next;
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
  const start = (call: (...given: unknown[]) => void, delayMs: unknown, repeats: boolean, given: unknown[]) =>
    new WorldTimer(() => call(...given), milliseconds(delayMs), repeats);
  const after = (call: (...given: unknown[]) => void, delayMs?: unknown, ...given: unknown[]) =>
    start(call, delayMs, false, given);
  const each = (call: (...given: unknown[]) => void, delayMs?: unknown, ...given: unknown[]) =>
    start(call, delayMs, true, given);
  const soon = (call: (...given: unknown[]) => void, ...given: unknown[]) =>
    new WorldTimer(() => call(...given), 0, false);
  // Timers from before are Node's.
  const clearing =
    (real: (timer?: NodeJS.Timeout) => void) =>
    (timer?: unknown): void => {
      if (timer instanceof WorldTimer) timer.close();
      else real(timer as NodeJS.Timeout);
    };
  const sleep = (delayMs?: number, value?: unknown, { signal }: { readonly signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      const aborted = (): void => {
        timer.close();
        reject(signal!.reason as Error);
      };
      const timer = after(() => {
        signal?.removeEventListener('abort', aborted);
        resolve(value);
      }, delayMs);
      if (signal?.aborted) aborted();
      else signal?.addEventListener('abort', aborted, { once: true });
    });
  const turn = (value?: unknown) => new Promise((resolve) => soon(() => resolve(value)));
  const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, Date } = globalThis;
  const globals = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, Date };
  const waits = { setTimeout: timers.setTimeout, setImmediate: timers.setImmediate };
  const [{ now }, { random }, RealDate] = [performance, Math, Date];
  Object.assign(globalThis, {
    setTimeout: Object.assign(after, { [promisify.custom]: sleep }),
    setInterval: each,
    setImmediate: Object.assign(soon, { [promisify.custom]: turn }),
    clearTimeout: clearing(clearTimeout),
    clearInterval: clearing(clearInterval),
    clearImmediate: clearing(clearImmediate as unknown as typeof clearTimeout),
    Date: new Proxy(RealDate, {
      construct: (Date, given: [], target) =>
        Reflect.construct(Date, given.length > 0 ? given : [here().date], target) as Date,
      apply: () => new RealDate(here().date).toString(),
      get: (Date, name) => (name === 'now' ? () => here().date : (Reflect.get(Date, name) as unknown)),
    }),
  });
  performance.now = () => here().now;
  Math.random = () => here().random('Math.random').next();
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
