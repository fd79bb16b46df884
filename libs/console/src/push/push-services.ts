import type { FactoryProvider } from '@nestjs/common';
import {
  PublishDeadLetters,
  PublishMetrics,
  PublishService,
  PublishWebhookTap,
  PublishWebhookTestService,
  PushGateways,
} from 'rookery/internal/publish';
import {
  ConfiguredInstanceRepository,
  configuredInstances,
  DeviceRepository,
  DevicesService,
  type Instance,
  InstanceRepository,
  LayeredInstanceRepository,
} from 'rookery/internal/push-device';
import type { OverviewInstance } from '../contract/index.js';
import { ConsoleError, notFound } from '../console.errors.js';

/** The providers of the push modules. */
const tokens = {
  instances: InstanceRepository,
  devices: DeviceRepository,
  devicesService: DevicesService,
  publishes: PublishService,
  metrics: PublishMetrics,
  gateways: PushGateways,
  letters: PublishDeadLetters,
  webhookTests: PublishWebhookTestService,
  webhookTap: PublishWebhookTap,
};

export type PushParts = { readonly [Name in keyof typeof tokens]: (typeof tokens)[Name]['prototype'] };

/** The push modules, if the application imports them. */
export class PushServices {
  constructor(private readonly imported: PushParts | undefined) {}

  static readonly provider: FactoryProvider<PushServices> = {
    provide: PushServices,
    inject: Object.values(tokens).map((token) => ({ token, optional: true })),
    useFactory: (...found: readonly unknown[]) =>
      new PushServices(
        found.every((part) => part !== undefined)
          ? // In the order of the tokens.
            (Object.fromEntries(Object.keys(tokens).map((name, index) => [name, found[index]])) as unknown as PushParts)
          : undefined,
      ),
  };

  /** @throws ConsoleError 404 */
  get parts(): PushParts {
    if (!this.imported) throw new ConsoleError(404, 'This application has no push modules.');
    return this.imported;
  }

  /** Sets the observer of attempts to deliver webhooks. */
  observeWebhooks(observer: PublishWebhookTap['observer']): void {
    if (this.imported) this.imported.webhookTap.observer = observer;
  }

  /** The counts of instances in this process. */
  get counted(): PublishMetrics['byInstance'] {
    return this.imported?.metrics.byInstance ?? new Map();
  }

  /** @throws ConsoleError 404 */
  async find(id: string): Promise<Instance> {
    const instance = await this.parts.instances.find(id);
    if (!instance) throw notFound('The instance');
    return instance;
  }

  /** The instances that can be changed here; `undefined` if none can. */
  get editing() {
    return this.stored?.editing;
  }

  /** Whether instances may exist that {@link instances} finds only by their ids. */
  get areUnlisted(): boolean {
    return this.stored !== undefined && !(this.stored instanceof ConfiguredInstanceRepository) && !this.editing;
  }

  /** Instances from the options and editable ones; for other repositories, those that have been served. */
  async instances(served: Iterable<string>): Promise<readonly OverviewInstance[]> {
    if (!this.imported) return [];
    const { instances } = this.imported;
    const all = new Map<string, Instance>();
    for (const instance of configuredInstances(instances)?.all ?? []) all.set(instance.id, instance);
    for (const { settings } of (await this.editing?.all()) ?? [])
      all.set(settings.id, all.get(settings.id) ?? settings);
    for (const id of this.areUnlisted ? served : []) {
      const instance = await instances.find(id);
      if (instance) all.set(instance.id, instance);
    }
    return [...all.values()].map(({ id, name = null, apns, fcm, web }) => ({
      id,
      name,
      apns: !!apns,
      fcm: !!fcm,
      web: !!web,
    }));
  }

  private get stored(): InstanceRepository | undefined {
    const instances = this.imported?.instances;
    return instances instanceof LayeredInstanceRepository ? instances.stored : instances;
  }
}
