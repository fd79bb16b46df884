import { Injectable } from '@nestjs/common';
import {
  type AnsweredPage,
  type DeletionCounts,
  type GatewayAnswers,
  GoneDeviceRepository,
  type HeldCount,
  type HeldDevice,
  type InstancePlatform,
} from 'rookery/publish';
import { DocumentStore, folder, path } from '../store/document.store.js';
import type { Transaction } from '../store/transaction.js';

/** What a gateway answered lately, by the time, and how many of its devices are held. */
interface Gateway extends HeldCount {
  readonly answers: readonly (GatewayAnswers & { readonly at: number })[];
}

const gateways = folder('gone-gateways');
const gatewayOf = ({ instanceId, platform }: InstancePlatform) => path('gone-gateways', instanceId, platform);
const devicesOf = ({ instanceId, platform }: InstancePlatform) => folder('gone-devices', instanceId, platform);
const countsOf = (publishId: string) => folder('gone-counts', publishId);
const none = { held: 0, removed: 0 };

/**
 * A document for each gateway, each device that is held, and each platform of a publish. All that changes devices reads
 * and writes their gateway's document: so two pages never count the same device.
 */
@Injectable()
export class StoredGoneDeviceRepository extends GoneDeviceRepository {
  constructor(private readonly store: DocumentStore) {
    super();
  }

  async note(of: InstancePlatform, { publishId, at, since, sent, gone }: AnsweredPage): Promise<void> {
    await this.store.transact(async (documents) => {
      const before = (await documents.get<Gateway>(gatewayOf(of))) ?? { ...of, held: 0, answers: [] };
      let found = 0;
      for (const device of gone) {
        const id = devicesOf(of) + path(device.id);
        // A device that is held already stays with the publish that found it first.
        if (await documents.get(id)) continue;
        documents.set(id, { ...device, publishId } satisfies HeldDevice);
        found += 1;
      }
      const same = before.answers.find((answers) => answers.at === at) ?? { sent: 0, gone: 0 };
      const others = before.answers.filter((answers) => answers.at !== at && (before.held > 0 || answers.at > since));
      const answers = [...others, { at, sent: same.sent + sent, gone: same.gone + gone.length }];
      documents.set(gatewayOf(of), { ...before, answers, held: before.held + found });
      if (found > 0) await this.count(documents, publishId, of, { held: found, removed: 0 });
    });
  }

  async answers(of: InstancePlatform): Promise<GatewayAnswers> {
    const answers = (await this.store.read<Gateway>(gatewayOf(of)))?.value.answers ?? [];
    const sum = (one: keyof GatewayAnswers) => answers.reduce((total, each) => total + each[one], 0);
    return { sent: sum('sent'), gone: sum('gone') };
  }

  async forgetAnswers(of: InstancePlatform): Promise<void> {
    await this.store.transact(async (documents) => {
      const gateway = await documents.get<Gateway>(gatewayOf(of));
      if (gateway) documents.set(gatewayOf(of), { ...gateway, answers: [] });
    });
  }

  async held(of: InstancePlatform, limit: number): Promise<readonly HeldDevice[]> {
    return (await this.store.list<HeldDevice>(devicesOf(of), '', limit)).map(({ value }) => value);
  }

  async heldAmong(of: InstancePlatform, deviceIds: readonly string[]): Promise<readonly HeldDevice[]> {
    const read = deviceIds.map((id) => this.store.read<HeldDevice>(devicesOf(of) + path(id)));
    return (await Promise.all(read)).flatMap((device) => (device ? [device.value] : []));
  }

  async settle(of: InstancePlatform, publishId: string, deviceIds: readonly string[], removed: number): Promise<void> {
    await this.store.transact(async (documents) => {
      const gateway = await documents.get<Gateway>(gatewayOf(of));
      let settled = 0;
      for (const deviceId of deviceIds) {
        const id = devicesOf(of) + path(deviceId);
        if ((await documents.get<HeldDevice>(id))?.publishId !== publishId) continue;
        documents.remove(id);
        settled += 1;
      }
      if (gateway) documents.set(gatewayOf(of), { ...gateway, held: gateway.held - settled });
      if (settled > 0 || removed > 0) await this.count(documents, publishId, of, { held: -settled, removed });
    });
  }

  async counts(publishId: string): Promise<readonly DeletionCounts[]> {
    return (await this.store.list<DeletionCounts>(countsOf(publishId))).map(({ value }) => value);
  }

  async totals(): Promise<readonly HeldCount[]> {
    const all = (await this.store.list<Gateway>(gateways)).map(({ value }) => value);
    return all.flatMap(({ instanceId, platform, held }) => (held > 0 ? [{ instanceId, platform, held }] : []));
  }

  async forget(publishIds: readonly string[]): Promise<void> {
    for (const publishId of publishIds)
      await this.store.transact(async (documents) => {
        const counts = await documents.list<DeletionCounts>(countsOf(publishId));
        // Held devices outlive their publish, and so do its counts.
        if (counts.some(({ value }) => value.held > 0)) return;
        for (const { id } of counts) documents.remove(id);
      });
  }

  private async count(
    documents: Transaction,
    publishId: string,
    { platform }: InstancePlatform,
    change: Omit<DeletionCounts, 'platform'>,
  ): Promise<void> {
    const id = countsOf(publishId) + path(platform);
    const { held, removed } = (await documents.get<DeletionCounts>(id)) ?? none;
    documents.set(id, { platform, held: held + change.held, removed: removed + change.removed });
  }
}
