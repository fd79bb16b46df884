import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

/**
 * What happens to one call of a port: it fails and changes nothing, it is done but the caller gets an error, or it waits
 * while another caller does its work.
 */
type Fault = 'fails' | 'loses its answer' | 'is held';
const faults: readonly Fault[] = ['fails', 'loses its answer', 'is held'];

type Functions = Record<PropertyKey, (...args: unknown[]) => unknown>;

/** Disturbs one of the calls that ports get while the work under test runs. */
export class Disturbance {
  private fault: { readonly at: number; readonly kind: Fault } | undefined;
  private calls: string[] = [];
  private held: Promise<void> = Promise.resolve();
  private release = (): void => {};
  private reached = (): void => {};

  /** A port whose calls are counted. @param methods those that answer at once, or as a promise */
  port<Port extends object>(name: string, port: Port, methods: readonly (keyof Port & string)[]): Port {
    return new Proxy(port, {
      get: (target, key) => {
        const method: unknown = Reflect.get(target, key);
        if (typeof method !== 'function') return method;
        const isCounted = (methods as readonly PropertyKey[]).includes(key);
        return (...args: unknown[]): unknown => {
          const answer = (): unknown => Reflect.apply((target as Functions)[key]!, target, args);
          return isCounted ? this.called(`${name}.${String(key)}`, answer) : answer();
        };
      },
    });
  }

  /** Does the work undisturbed. @returns the calls of ports that it made, in order */
  async callsOf(work: () => unknown): Promise<readonly string[]> {
    this.fault = undefined;
    this.calls = [];
    await work();
    return this.calls.slice();
  }

  /**
   * Does the work with a fault at one of its calls.
   * @returns once it has ended, or its call is held: the work itself, and what lets a held call go on
   */
  async disturb(work: () => unknown, at: number, kind: Fault): Promise<{ done: Promise<unknown>; release(): void }> {
    this.fault = { at, kind };
    this.calls = [];
    const reached = new Promise<void>((resolve) => (this.reached = resolve));
    this.held = new Promise<void>((resolve) => (this.release = resolve));
    const done = (async () => work())();
    await Promise.race([reached, done.catch(() => {})]);
    return { done, release: () => this.release() };
  }

  private called(name: string, answer: () => unknown): unknown {
    const isNow = this.calls.push(name) - 1 === this.fault?.at;
    return isNow ? this.faulty(name, this.fault!.kind, answer) : answer();
  }

  private async faulty(name: string, kind: Fault, answer: () => unknown): Promise<unknown> {
    if (kind === 'loses its answer') await answer();
    if (kind !== 'is held') throw new Error(`${name} ${kind}`);
    this.reached();
    await this.held;
    return answer();
  }
}

/** Some work that makes several calls of ports, and what is left of it in the end. */
export interface Story<World> {
  /** A world of its own for each run. */
  world(disturbance: Disturbance): World | Promise<World>;
  /** The work. Its caller repeats it when it fails. */
  work(world: World): unknown;
  /** What a second caller does after the fault, or while the work is held. */
  other?(world: World): unknown;
  /** Lets pass the time after which everything that repeats by itself is done. */
  later?(world: World): unknown;
  /** What is compared: what ports keep, and what was told to others. */
  end(world: World): unknown;
  /** Whether the work settles only once all its calls are done: its caller relies on that. */
  readonly waits?: boolean;
  /** The faults that lead to another end, such as `store.take, loses its answer`, each with the reason. */
  readonly except?: Readonly<Record<string, string>>;
}

/** More tries than anything needs after a single fault. */
const tries = 3;

/**
 * Runs a story with each fault at each of the work's calls. Its end must be that of an undisturbed run, in which the
 * second caller came before the work, or after it.
 *
 * @returns the faults that led to another end, each with that end
 */
export async function survived<World>(story: Story<World>): Promise<readonly string[]> {
  const { other = () => {}, later = () => {}, except = {} } = story;
  const ending = async (run: (world: World, disturbance: Disturbance) => Promise<unknown>): Promise<unknown> => {
    const disturbance = new Disturbance();
    const world = await story.world(disturbance);
    await run(world, disturbance);
    await later(world);
    return structuredClone(await story.end(world));
  };
  let calls: readonly string[] = [];
  const allowed = [
    await ending(async (world, disturbance) => {
      calls = await disturbance.callsOf(() => story.work(world));
      await other(world);
    }),
    await ending(async (world) => {
      await other(world);
      await story.work(world);
    }),
  ];
  if (calls.length === 0) throw new Error('The work calls no port');
  const wrong: string[] = [];
  const needed = new Set<string>();
  for (const [at, name] of calls.entries())
    for (const kind of faults) {
      let isLeft = false;
      const end = await ending(
        async (world, disturbance) => (isLeft = await disturbed(story, world, disturbance, at, kind)),
      );
      const report = (fault: string, what = ''): void => {
        needed.add(fault);
        if (except[fault] === undefined) wrong.push(`call ${at + 1}, ${fault}${what}`);
      };
      if (isLeft && story.waits) report(`${name}, is not waited for`);
      if (!allowed.some((each) => isDeepStrictEqual(each, end)))
        report(`${name}, ${kind}`, `: ${JSON.stringify(end)} instead of ${JSON.stringify(allowed[0])}`);
    }
  const needless = Object.keys(except).filter((fault) => !needed.has(fault));
  return [...wrong, ...needless.map((fault) => `${fault}: needs no exception`)];
}

/** @returns whether the work settled while its call was held */
async function disturbed<World>(
  { work, other = () => {} }: Story<World>,
  world: World,
  disturbance: Disturbance,
  at: number,
  kind: Fault,
): Promise<boolean> {
  const { done, release } = await disturbance.disturb(() => work(world), at, kind);
  let [hasFailed, isOver] = [false, false];
  const first = done.catch(() => void (hasFailed = true)).finally(() => (isOver = true));
  const second = Promise.resolve(other(world));
  // It may wait for the work that is held: these turns are enough for one that does not.
  for (let turns = 0; turns < 20; turns++) await turn();
  const isLeft = isOver && kind === 'is held';
  release();
  await Promise.all([first, second]);
  for (let tried = 1; hasFailed && tried < tries; tried++) {
    hasFailed = false;
    await Promise.resolve(work(world)).catch(() => (hasFailed = true));
  }
  return isLeft;
}
