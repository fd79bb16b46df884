import { ChannelRepository } from 'rookery/channels';
import { Unavailable } from 'rookery/internal/common';
import { JobStore } from 'rookery/jobs';
import { copyOf } from './copy-of.js';
import type { Party } from './party.js';
import { Wire } from './wire.js';
import type { World } from './world.js';

/** As over connections to other machines: answers overtake each other. */
const network = { least: 0.2, most: 3, slowShare: 0.1, slow: 60 };
const answerMs = 5000;

type Method = (...args: unknown[]) => unknown;

/** Methods by which Nest or a runner ends what is its own, which shared state is not. */
const notShared = new Set([
  'then',
  'onModuleInit',
  'onApplicationBootstrap',
  'onModuleDestroy',
  'beforeApplicationShutdown',
  'onApplicationShutdown',
]);

/** The network between a process and what all processes share. */
export class StoreLink {
  private readonly up: Wire<() => void>;
  private readonly down: Wire<() => void>;
  private readonly remotes = new Map<object, object>();
  private readonly shared = new Map<object, object>();

  constructor(
    private readonly world: World,
    private readonly party: Party,
    store: Party,
  ) {
    const carry = (run: () => void): void => run();
    this.up = new Wire(world, `${party.name} to store`, store, network, carry);
    this.down = new Wire(world, `store to ${party.name}`, party, network, carry);
  }

  /** Something shared, as the process sees it: each method answers later, or throws Unavailable. */
  remote<Shared extends object>(shared: Shared): Shared {
    let remote = this.remotes.get(shared);
    if (!remote) {
      remote = new Proxy(shared, { get: (target, name) => this.property(target, name) });
      this.remotes.set(shared, remote);
      this.shared.set(remote, shared);
    }
    return remote as Shared;
  }

  /** Carries out a call at the other end. */
  call<Answer>(work: () => Answer | Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const late = this.world.after(answerMs, () => reject(new Unavailable('The store')), this.party);
      const settle = (settled: () => void): void =>
        this.down.send(() => {
          late.isCancelled = true;
          settled();
        }, false);
      this.up.send(() => {
        // A promise, whatever it throws.
        void (async () => work())().then(
          (answer) => settle(() => resolve(copyOf(answer))),
          (error: unknown) => settle(() => reject(error)),
        );
      });
    });
  }

  /** A message from the store. */
  notify(work: () => void): void {
    this.down.send(work);
  }

  /** Sends something to the store that needs no answer. */
  send(work: () => void): void {
    this.up.send(work);
  }

  /** Nothing is carried in either direction for this time. */
  stall(milliseconds: number): void {
    for (const wire of [this.up, this.down]) wire.stall(milliseconds);
  }

  private property(target: object, name: string | symbol): unknown {
    if (typeof name === 'string' && notShared.has(name)) return undefined;
    const value: unknown = Reflect.get(target, name);
    if (typeof name === 'symbol' || name === 'constructor') return value;
    // What ends or wakes a runner of this process.
    if (target instanceof JobStore && (name === 'close' || name === 'watch')) return () => async () => undefined;
    if (target instanceof ChannelRepository && name === 'occupied') return this.occupied(target);
    if (typeof value === 'function') return (...args: unknown[]) => this.invoke(target, value as Method, args);
    return typeof value === 'object' && value !== null ? this.remote(value) : value;
  }

  /** Its pages are sent at once. */
  private occupied(channels: ChannelRepository): ChannelRepository['occupied'] {
    const pages = (appId: string, prefix: string): Promise<(readonly string[])[]> =>
      this.call(async () => {
        const found: (readonly string[])[] = [];
        for await (const page of channels.occupied(appId, prefix)) found.push(page);
        return found;
      });
    return async function* (appId, prefix) {
      yield* await pages(appId, prefix);
    };
  }

  private async invoke(target: object, method: Method, args: unknown[]): Promise<unknown> {
    // A port among the arguments is the shared one at the other end: both are in one database.
    const sent = args.map((arg) => copyOf(arg, new Map(this.shared)));
    return this.call(() => method.apply(target, sent));
  }
}
