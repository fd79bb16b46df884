import { type Notification, type Outcome, type PreparedNotification, PushGateway, SendLater } from 'rookery/publish';
import type { DeviceAddress, Platform } from 'rookery/push-device';
import type { Party } from '../../../libs/testing/src/simulation/party.js';
import { Wire } from '../../../libs/testing/src/simulation/wire.js';
import type { World } from '../../../libs/testing/src/simulation/world.js';
import type { Accepted } from './accepted.js';
import type { GatewayMood } from './schedule.js';

const latency = { least: 2, most: 40, slowShare: 0.02, slow: 4000 };
const timeoutMs = 10_000;
const ttlMs = 3_600_000;
/** Of the sends to a gateway in a mood, the share that feels it. */
const moodyShare = 0.7;

/** What a publish says, on every platform. */
export const titleOf = (payload: object): string => /"title":"(p\d+)"/.exec(JSON.stringify(payload))![1]!;

/** The gateways of the platforms, for all nodes. */
export class Gateways {
  private readonly moods = new Map<Platform, { readonly mood: GatewayMood; readonly until: number }>();
  private readonly hangs = new Map<Platform, number>();
  private readonly random;

  constructor(
    private readonly world: World,
    readonly accepted: Accepted,
  ) {
    this.random = world.random('gateways');
  }

  /** It answers nothing, and takes nothing. */
  hang(platform: Platform, ms: number): void {
    this.hangs.set(platform, this.world.now + ms);
  }

  turn(platform: Platform, mood: GatewayMood, ms: number): void {
    this.moods.set(platform, { mood, until: this.world.now + ms });
  }

  /** The mood in which it takes a notification. */
  moodOf(platform: Platform): GatewayMood | undefined {
    if (this.world.now < (this.hangs.get(platform) ?? 0)) return 'deaf';
    const turned = this.moods.get(platform);
    return turned && this.world.now < turned.until && this.random.next() < moodyShare ? turned.mood : undefined;
  }
}

/** A node's end of a gateway. */
export class SimulatedGateway extends PushGateway {
  private readonly there: Wire<() => void>;
  private readonly back: Wire<() => void>;
  private readonly pending = new Set<() => void>();

  constructor(
    world: World,
    readonly platform: Platform,
    private readonly gateways: Gateways,
    node: Party,
  ) {
    super();
    this.there = new Wire(world, `${node.name} to ${platform}`, world.outside, latency, (take) => take());
    this.back = new Wire(world, `${platform} to ${node.name}`, node, latency, (take) => take());
  }

  async prepare({ payload }: Notification): Promise<PreparedNotification> {
    const id = titleOf(payload);
    return { ttlMs, send: (device) => this.send(id, device) };
  }

  /** Sends without an answer fail, though the gateway may have taken them. */
  async close(): Promise<void> {
    for (const giveUp of this.pending) giveUp();
  }

  private send(id: string, device: DeviceAddress): Promise<Outcome> {
    const { accepted } = this.gateways;
    return new Promise<Outcome>((resolve, reject) => {
      const answer = (heard: () => void): void =>
        this.back.send(() => {
          if (this.pending.delete(giveUp)) clearTimeout(timeout);
          heard();
        }, false);
      const giveUp = (): void => {
        clearTimeout(timeout);
        this.pending.delete(giveUp);
        accepted.unheard(id, device.id);
        reject(new SendLater('timeout'));
      };
      const timeout = setTimeout(giveUp, timeoutMs);
      this.pending.add(giveUp);
      this.there.send(() => {
        const mood = this.gateways.moodOf(this.platform);
        if (mood === 'deaf') return;
        if (mood === 'busy') return answer(() => reject(new SendLater('429', 2000)));
        if (mood === 'broken') return answer(() => reject(new SendLater('503')));
        accepted.add(id, device.id);
        if (mood !== 'silent') answer(() => resolve({ outcome: 'delivered' }));
      }, false);
    });
  }
}
