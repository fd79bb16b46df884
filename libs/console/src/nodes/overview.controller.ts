import { Get, type OnApplicationBootstrap } from '@nestjs/common';
import { type AppConfig, Apps, ChannelsMetrics, NodeRpc, nodeSubject } from 'rookery/internal/channels';
import { ConsoleController } from '../access/console.guard.js';
import { ChannelList } from '../channels/channel-list.js';
import { Samples } from '../charts/samples.js';
import type { Overview, OverviewApp } from '../contract/index.js';
import { PushServices } from '../push/push-services.js';
import { WebhookAnswers } from '../webhooks/webhook-answers.js';
import { ClusterNodes } from './node-figures.js';

/** The most apps with totals in the overview; the others are only listed. */
const maxCounted = 100;

const noLoad = {
  connections: 0,
  triggersPerSecond: 0,
  messagesPerSecond: 0,
  errors: 0,
  closedAsSlow: 0,
  webhooksFailed: 0,
};

/** What an app causes in a process. */
type AppLoad = Readonly<typeof noLoad>;

const appLoads = nodeSubject<object, readonly (readonly [appId: string, load: AppLoad])[]>('console.appLoads');

function sumOf(one: AppLoad, other: AppLoad): AppLoad {
  const sum = { ...one };
  for (const name of Object.keys(noLoad) as (keyof AppLoad)[]) sum[name] += other[name];
  return sum;
}

/** The instances that a process has served. */
const servedInstances = nodeSubject<object, readonly string[]>('console.servedInstances');

/** `GET /console/api/overview` and `…/nodes` */
@ConsoleController('')
export class OverviewController implements OnApplicationBootstrap {
  constructor(
    private readonly nodes: ClusterNodes,
    private readonly apps: Apps,
    private readonly channels: ChannelList,
    private readonly metrics: ChannelsMetrics,
    private readonly samples: Samples,
    private readonly calls: NodeRpc,
    private readonly push: PushServices,
    private readonly webhooks: WebhookAnswers,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on(appLoads, () => {
      const lately = this.samples.lately();
      return [...this.metrics.all].map(
        ([id, { connections }]) => [id, { ...noLoad, ...lately.get(id), connections }] as const,
      );
    });
    this.calls.on(servedInstances, () => [...this.push.counted.keys()]);
  }

  @Get('overview')
  async overview(): Promise<Overview> {
    const [apps, instances, nodes, failingEndpoints] = await Promise.all([
      this.shownApps(),
      this.shownInstances(),
      this.nodes.all(),
      this.webhooks.failing(),
    ]);
    const { stored } = this.apps;
    return {
      apps,
      instances,
      ...nodes,
      failingEndpoints,
      editable: stored?.editing !== undefined,
      instancesEditable: this.push.editing !== undefined,
      unlisted: [
        ...(stored && !stored.editing ? (['apps'] as const) : []),
        ...(this.push.areUnlisted ? (['instances'] as const) : []),
      ],
    };
  }

  @Get('nodes')
  async cluster() {
    return this.nodes.all();
  }

  private async shownApps(): Promise<readonly OverviewApp[]> {
    const { answers } = await this.calls.askAll(appLoads, {});
    const loads = new Map<string, AppLoad>();
    for (const [id, load] of answers.flatMap(({ answer }) => answer))
      loads.set(id, sumOf(loads.get(id) ?? noLoad, load));
    const apps = await this.knownApps(loads.keys());
    return Promise.all(
      apps.map(async ({ id, name = null, key, enabled = true }, i) => ({
        id,
        name,
        key,
        enabled,
        ...(loads.get(id) ?? noLoad),
        channels: i < maxCounted ? await this.channels.count(id) : 0,
      })),
    );
  }

  /** Apps from the options and editable ones; for a repository that cannot list, those in use in any process. */
  private async knownApps(used: Iterable<string>): Promise<readonly AppConfig[]> {
    const known = new Map<string, AppConfig>();
    for (const app of this.apps.configured?.all ?? []) known.set(app.id, app);
    const editing = this.apps.stored?.editing;
    for (const { settings } of (await editing?.all()) ?? []) known.set(settings.id, known.get(settings.id) ?? settings);
    for (const id of editing ? [] : used) {
      const app = known.has(id) ? undefined : await this.apps.findById(id);
      if (app) known.set(id, app);
    }
    return [...known.values()];
  }

  private async shownInstances() {
    if (!this.push.areUnlisted) return this.push.instances([]);
    const { answers } = await this.calls.askAll(servedInstances, {});
    return this.push.instances(new Set(answers.flatMap(({ answer }) => answer)));
  }
}
