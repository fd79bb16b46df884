import type { BrokerReceiver, NodesService } from 'rookery/channels';
import { Unavailable } from '#common';
import { primaryServices, workerServices } from '../../apps/server/src/workers/link-services.js';
import { type LinkService, RpcLink } from '../../apps/server/src/workers/rpc-link.js';
import type { Answered, Confirmed } from './announcements.js';
import { subjectIn } from './announcements.js';
import { Topics } from './topics.js';

/** How long a call is repeated while the store is away. */
const outageMs = 30_000;
const [firstPauseMs, longestPauseMs] = [50, 1000];
/** After which a duty is tried again. */
const heartbeatMs = 1000;
const rememberedMs = 60_000;

/** What may be repeated: `always`, or only `whole`, while the store has what all nodes hold. */
const repeated: Readonly<Record<string, 'always' | 'whole'>> = {
  'presence join': 'whole',
  'presence leave': 'whole',
  'presence update': 'whole',
  'presence roster': 'whole',
  'presence holdsAbsence': 'whole',
  'presence confirmAbsent': 'whole',
  'presence say': 'always',
  'channels occupy': 'whole',
  'channels holdsVacancy': 'whole',
  'channels confirmVacated': 'whole',
  'channels admit': 'whole',
  'channels dismiss': 'whole',
  'channels say': 'always',
  'broker recall': 'whole',
  'broker history': 'always',
  'broker subscribe': 'always',
  'sessions open': 'always',
  'sessions save': 'always',
};

type Args = readonly unknown[];
type Said = readonly [service: LinkService<unknown>, method: string, ...args: Args];
type Announced = 'presence' | 'channels';

/**
 * A node's link to a store whose connections break. It does what libs/redis does over such connections: what may be
 * repeated waits for the next one, channels are subscribed again, and the node announces what it holds.
 */
export class NodeLink extends RpcLink {
  private current = closed();
  private readonly served = new Map<LinkService<object>, object>();
  private readonly said: Said[] = [];
  private readonly topics = new Topics();
  private readonly confirmed = { presence: new Map<string, Recent>(), channels: new Map<string, Recent>() };
  private readonly stamps = { presence: 0, channels: 0 };
  private nodes: NodesService | undefined;
  /** When it was connected again. */
  renewedAt = -Infinity;
  private isUnknown = false;
  /** Until then the store may lack what other nodes hold. */
  private completeAt = 0;
  private confirmations = 0;
  /** How often the connection for messages was closed, and when it is opened again. */
  private kicks = 0;
  private hearsAt = -Infinity;

  constructor(private readonly name: string) {
    super(() => {});
  }

  /** What the node does once it is connected again. */
  owes(nodes: NodesService): void {
    this.nodes = nodes;
  }

  broke(): void {
    this.current.close();
    this.topics.broke();
    this.isUnknown = true;
  }

  /**
   * @param completeAt until when the store, which has lost its memory, may lack what other nodes hold
   * @returns resolves when the node has done what it owes, unless this connection breaks as well
   */
  async renewed(current: RpcLink, completeAt: number): Promise<void> {
    this.current = current;
    for (const [service, methods] of this.served) current.serve(service, methods);
    for (const said of this.said) notify(current, said);
    if (!this.isUnknown) return;
    this.renewedAt = performance.now();
    const isCurrent = (): boolean => this.current === current;
    await Promise.all([
      this.subscribeAgain(),
      this.until(isCurrent, async () => {
        await this.nodes?.announce({ silentUntil: completeAt });
        this.completeAt = completeAt;
        if (isCurrent()) this.isUnknown = false;
      }),
    ]);
    await sleep(completeAt - performance.now());
    await this.until(isCurrent, async () => this.nodes?.announceMissed());
  }

  /**
   * The node, which has started since the store lost its memory, hears of that.
   *
   * @param completeAt as in {@link renewed}
   */
  async hearsOfLoss(completeAt: number): Promise<void> {
    const { current } = this;
    const isCurrent = (): boolean => this.current === current;
    // It has heard of it when its own connection broke.
    if (this.isUnknown || this.completeAt >= completeAt) return;
    this.completeAt = completeAt;
    this.nodes?.recheckAll();
    await sleep(completeAt - performance.now());
    await this.until(isCurrent, async () => this.nodes?.announceMissed());
  }

  /**
   * Only the connection for messages is closed, as Redis does if they are read too slowly.
   * @returns resolves when all channels are subscribed again
   */
  async kicked(awayMs: number): Promise<void> {
    this.topics.broke();
    this.topics.isClosed = true;
    this.hearsAt = performance.now() + awayMs;
    const kick = (this.kicks += 1);
    await sleep(awayMs);
    if (kick !== this.kicks) return;
    this.topics.isClosed = false;
    await this.subscribeAgain();
    void this.announceMissed(kick);
  }

  /** With the next heartbeat, as libs/redis does with each. */
  private async announceMissed(kick: number): Promise<void> {
    await sleep(heartbeatMs);
    await this.until(
      () => kick === this.kicks,
      async () => this.nodes?.announceMissed(),
    );
  }

  override serve(service: LinkService<object>, methods: object): void {
    const isReceiver = service === workerServices.receiver;
    if (isReceiver) this.topics.passTo(methods as BrokerReceiver);
    this.served.set(service, isReceiver ? this.topics : methods);
    this.current.serve(service, this.served.get(service)!);
  }

  override notify(...said: Said): void {
    const [service, method, appId, channel] = said;
    if (service === primaryServices.worker) this.said.push(said);
    if (method === 'unsubscribe') this.topics.drop({ appId: appId as string, channel: channel as string });
    notify(this.current, said);
  }

  override async request(service: string, method: string, args: Args): Promise<unknown> {
    switch (method) {
      case 'announce':
        return this.say(service as Announced, [args[0], '', args[1]], [...this.confirmedOn(service as Announced)]);
      case 'takeOut':
        return this.say(service as Announced, [args[0], args[1], nothing[service as Announced]], []);
      case 'subscribe':
        return this.subscribe(args as readonly [string, string]);
      case 'confirmAbsent':
      case 'confirmVacated':
        return this.confirm(service as Announced, method, args);
      default:
        return this.insist(service, method, args);
    }
  }

  private async say(service: Announced, args: Args, confirmed: readonly Confirmed[]): Promise<unknown> {
    const all = [...args, { known: this.stamps[service], confirmed }];
    const { stamp, changes } = (await this.insist(service, 'say', all)) as Answered<unknown>;
    // Of two calls, the one that the store answered last has the changes of both.
    this.stamps[service] = Math.max(stamp, this.stamps[service]);
    return changes;
  }

  private async confirm(service: Announced, method: string, args: Args): Promise<unknown> {
    const isConfirmed = await this.insist(service, method, [...args, `${this.name} ${(this.confirmations += 1)}`]);
    if (isConfirmed === true) this.confirmed[service].set(subjectIn(args), { args, at: performance.now() });
    return isConfirmed;
  }

  private *confirmedOn(service: Announced): Iterable<Confirmed> {
    for (const { args, at } of this.confirmed[service].values()) if (performance.now() < at + rememberedMs) yield args;
  }

  private async subscribe([appId, channel]: readonly [string, string]): Promise<void> {
    this.topics.want({ appId, channel });
    let kicks: number;
    do {
      kicks = this.kicks;
      if (this.topics.isClosed) await sleep(this.hearsAt - performance.now());
      await this.insist('broker', 'subscribe', [appId, channel]);
    } while (kicks !== this.kicks || this.topics.isClosed);
    this.topics.confirm({ appId, channel });
  }

  private async subscribeAgain(): Promise<void> {
    const again = this.topics.all.map(({ appId, channel }) => this.subscribe([appId, channel]));
    // The next connection does so, too.
    await Promise.all(again).catch(unlessUnavailable);
  }

  private async insist(service: string, method: string, args: Args): Promise<unknown> {
    const until = performance.now() + outageMs;
    const [{ change } = {}] = args as readonly [{ readonly change?: unknown }?];
    const kind = method === 'publish' && change !== undefined ? 'always' : repeated[`${service} ${method}`];
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        if (kind === 'whole' && (this.isUnknown || performance.now() < this.completeAt))
          throw new Unavailable('The store');
        return await this.current.request(service, method, args);
      } catch (error) {
        if (kind === undefined || !(error instanceof Unavailable) || performance.now() + pauseMs > until) throw error;
        await sleep(pauseMs);
      }
    }
  }

  /** Tries again after a failure, as long as the connection lasts. */
  private async until(isCurrent: () => boolean, work: () => Promise<unknown>): Promise<void> {
    for (let isDone = false; !isDone && isCurrent();)
      try {
        await work();
        isDone = true;
      } catch (error) {
        unlessUnavailable(error);
        await sleep(heartbeatMs);
      }
  }
}

interface Recent {
  readonly args: Confirmed;
  readonly at: number;
}

const nothing = { presence: [], channels: { channels: [], admitted: [] } } as const;

function notify(link: RpcLink, [service, method, ...args]: Said): void {
  // The types were checked where the node notifies.
  link.notify(service as LinkService<Readonly<Record<string, (...of: Args) => void>>>, method, ...args);
}

function closed(): RpcLink {
  const link = new RpcLink(() => {});
  link.close();
  return link;
}

function unlessUnavailable(error: unknown): void {
  if (!(error instanceof Unavailable)) throw error;
}

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, milliseconds)));
