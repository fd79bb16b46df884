import { Unavailable } from '#common';
import type { Roster } from 'rookery/presence';
import { type LinkService, RpcLink } from '../../apps/server/src/workers/rpc-link.js';
import { copyOf } from '../../libs/testing/src/simulation/copy-of.js';
import type { LagKind } from './lies.js';
import type { StoreState } from './store-state.js';

/** The reads that a lag of each kind answers, by the service of the store's link. */
const reads: Readonly<Record<LagKind, Readonly<Record<string, readonly string[]>>>> = {
  'lag-counts': { channels: ['subscriptionCounts'], presence: ['memberCounts'] },
  'lag-members': { presence: ['roster'] },
  'lag-history': { broker: ['history', 'recall'] },
  'lag-sessions': { sessions: ['open'] },
  late: { channels: ['subscriptionCounts'], presence: ['roster', 'memberCounts'] },
};

/** Each part of the store, as a node's link calls it. */
type Part = Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** What the store answers reads from while it lags: an earlier copy of its state. */
export class Lag {
  private readonly replicas = new Map<LagKind, StoreState>();

  /** Whether it keeps only a part of writes of many rows. */
  isTorn = (): boolean => false;

  begin(kind: LagKind, state: StoreState): void {
    this.replicas.set(kind, state.copy);
  }

  /** From now on, everything is visible. */
  end(kind: LagKind): void {
    this.replicas.delete(kind);
  }

  /** Another state has taken the place of the one that was copied. */
  endAll(): void {
    this.replicas.clear();
  }

  /** A service as one node sees it. */
  of<Methods extends object>({ name: service }: LinkService<Methods>, methods: Methods): Methods {
    /** By the copy: the same with what this node has written since. */
    const own = new WeakMap<StoreState, Part>();
    const ownOf = (replica: StoreState): Part => {
      const part = own.get(replica) ?? copyOf(partOf(replica, service));
      own.set(replica, part);
      return part;
    };
    const call = (name: string, args: unknown[]): unknown => {
      if (this.isTorn()) tear(methods as Part, name, args);
      for (const [kind, replica] of this.replicas) {
        const isRead = reads[kind][service]?.includes(name);
        if (isRead === undefined) continue;
        // It writes as well.
        if (name === 'open') (methods as Part)[name]!(...args);
        const answer = isRead && partOf(replica, service)[name]!(...args);
        // It shows no change of others that is newer than the copy, whatever the node has written.
        if (isRead && kind === 'late') return withVersionOf(answer, ownOf(replica)[name]!(...args));
        if (isRead) return answer;
        if (kind === 'late') ownOf(replica)[name]!(...args);
      }
      return (methods as Part)[name]!(...args);
    };
    return new Proxy(methods, {
      get:
        (_, name) =>
        (...args: unknown[]) =>
          call(String(name), args),
    });
  }
}

const withVersionOf = (earlier: unknown, answer: unknown): unknown =>
  isRoster(earlier) && isRoster(answer) ? { ...answer, version: earlier.version } : answer;

const isRoster = (answer: unknown): answer is Roster =>
  typeof answer === 'object' && answer !== null && 'version' in answer;

/** Carries out a part of a write of many rows, and fails, as when its connection breaks between two statements. */
function tear(part: Part, name: string, [first, second]: unknown[]): void {
  const isTakingOut = name === 'takeOut' || (name === 'say' && second !== '');
  if (isTakingOut && 'takeOutPart' in part) part['takeOutPart'](first);
  else if (name === 'add' && Array.isArray(first) && first.length > 1)
    void part['add']!(first.slice(0, first.length / 2));
  else return;
  throw new Unavailable('The store');
}

/** The link calls the methods of the port, which the type does not name. */
const partOf = (state: StoreState, service: string): Part => state[service as 'channels'] as unknown as Part;

/** The store's end of a node's link. */
export class StoreEnd extends RpcLink {
  constructor(
    private readonly lag: Lag,
    ...of: ConstructorParameters<typeof RpcLink>
  ) {
    super(...of);
  }

  override serve<Methods extends object>(service: LinkService<Methods>, methods: Methods): void {
    super.serve(service, this.lag.of(service, methods));
  }
}
