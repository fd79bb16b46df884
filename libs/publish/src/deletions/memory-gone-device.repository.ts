import { Injectable } from '@nestjs/common';
import type { Platform } from 'rookery/push-device';
import {
  type AnsweredPage,
  type DeletionCounts,
  type GatewayAnswers,
  GoneDeviceRepository,
  type HeldCount,
  type HeldDevice,
  type InstancePlatform,
} from './gone-device.repository.js';

interface Gateway extends InstancePlatform {
  /** By the time of the answers. */
  readonly answers: Map<number, GatewayAnswers>;
  readonly held: Map<string, HeldDevice>;
}

type Counts = { held: number; removed: number };

/** In memory, for one process; after a restart, the next publish finds the held devices again. */
@Injectable()
export class MemoryGoneDeviceRepository extends GoneDeviceRepository {
  private readonly gateways = new Map<string, Gateway>();
  /** By publish. */
  private readonly found = new Map<string, Map<Platform, Counts>>();

  async note(of: InstancePlatform, { publishId, at, since, sent, gone }: AnsweredPage): Promise<void> {
    const { answers, held } = this.gateway(of);
    if (held.size === 0) for (const time of answers.keys()) if (time <= since) answers.delete(time);
    const before = answers.get(at) ?? { sent: 0, gone: 0 };
    answers.set(at, { sent: before.sent + sent, gone: before.gone + gone.length });
    for (const device of gone) {
      if (held.has(device.id)) continue;
      held.set(device.id, { ...device, publishId });
      this.countsOf(publishId, of.platform).held += 1;
    }
  }

  async answers(of: InstancePlatform): Promise<GatewayAnswers> {
    const all = [...this.gateway(of).answers.values()];
    return all.reduce((sum, { sent, gone }) => ({ sent: sum.sent + sent, gone: sum.gone + gone }), {
      sent: 0,
      gone: 0,
    });
  }

  async forgetAnswers(of: InstancePlatform): Promise<void> {
    this.gateway(of).answers.clear();
  }

  async held(of: InstancePlatform, limit: number): Promise<readonly HeldDevice[]> {
    return [...this.gateway(of).held.values()].slice(0, limit);
  }

  async heldAmong(of: InstancePlatform, deviceIds: readonly string[]): Promise<readonly HeldDevice[]> {
    const { held } = this.gateway(of);
    return deviceIds.map((id) => held.get(id)).filter((device) => device !== undefined);
  }

  async settle(of: InstancePlatform, publishId: string, deviceIds: readonly string[], removed: number): Promise<void> {
    const { held } = this.gateway(of);
    const counts = this.countsOf(publishId, of.platform);
    for (const id of deviceIds)
      if (held.get(id)?.publishId === publishId) {
        held.delete(id);
        counts.held -= 1;
      }
    counts.removed += removed;
  }

  async counts(publishId: string): Promise<readonly DeletionCounts[]> {
    return [...(this.found.get(publishId) ?? [])].map(([platform, counts]) => ({ platform, ...counts }));
  }

  async totals(): Promise<readonly HeldCount[]> {
    return [...this.gateways.values()]
      .filter(({ held }) => held.size > 0)
      .map(({ instanceId, platform, held }) => ({ instanceId, platform, held: held.size }));
  }

  async forget(publishIds: readonly string[]): Promise<void> {
    for (const id of publishIds) {
      const counts = [...(this.found.get(id)?.values() ?? [])];
      if (counts.every(({ held }) => held === 0)) this.found.delete(id);
    }
  }

  private gateway({ instanceId, platform }: InstancePlatform): Gateway {
    const key = `${platform} ${instanceId}`;
    const gateway = this.gateways.get(key) ?? { instanceId, platform, answers: new Map(), held: new Map() };
    this.gateways.set(key, gateway);
    return gateway;
  }

  private countsOf(publishId: string, platform: Platform): Counts {
    const platforms = this.found.get(publishId) ?? new Map<Platform, Counts>();
    this.found.set(publishId, platforms);
    const counts = platforms.get(platform) ?? { held: 0, removed: 0 };
    platforms.set(platform, counts);
    return counts;
  }
}
