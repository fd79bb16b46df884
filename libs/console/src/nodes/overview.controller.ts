import { Get, type OnApplicationBootstrap, UseGuards } from '@nestjs/common';
import { type App, Apps, ChannelsMetrics, NodeRpc, nodeSubject } from 'rookery/channels';
import { RookeryController } from '#http';
import { ConsoleGuard } from '../access/console.guard.js';
import { ChannelList } from '../channels/channel-list.js';
import { type AppActivity, Samples } from '../charts/samples.js';
import type { Overview, OverviewApp } from '../contract.js';
import { PushColumn } from '../push/push-column.js';
import { WebhookAnswers } from '../webhooks/webhook-answers.js';
import { ClusterNodes } from './node-figures.js';

/** The most apps with totals in the overview; the others are only listed. */
const maxCounted = 100;

/** What an app causes in a process. */
type AppLoad = AppActivity & { readonly connections: number };

const appLoads = nodeSubject<object, readonly (readonly [appId: string, load: AppLoad])[]>('console.appLoads');

const noLoad: AppLoad = { connections: 0, triggersPerSecond: 0, messagesPerSecond: 0, errors: 0, webhooksFailed: 0 };

const sumOf = (one: AppLoad, other: AppLoad): AppLoad => ({
  connections: one.connections + other.connections,
  triggersPerSecond: one.triggersPerSecond + other.triggersPerSecond,
  messagesPerSecond: one.messagesPerSecond + other.messagesPerSecond,
  errors: one.errors + other.errors,
  webhooksFailed: one.webhooksFailed + other.webhooksFailed,
});

/** `GET /console/api/overview` and `…/nodes` */
@RookeryController('console/api')
@UseGuards(ConsoleGuard)
export class OverviewController implements OnApplicationBootstrap {
  constructor(
    private readonly nodes: ClusterNodes,
    private readonly apps: Apps,
    private readonly channels: ChannelList,
    private readonly metrics: ChannelsMetrics,
    private readonly samples: Samples,
    private readonly calls: NodeRpc,
    private readonly push: PushColumn,
    private readonly webhooks: WebhookAnswers,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on(appLoads, () => {
      const lately = this.samples.lately();
      return [...this.metrics.all].map(
        ([id, { connections }]) => [id, { ...noLoad, ...lately.get(id), connections }] as const,
      );
    });
  }

  @Get('overview')
  async overview(): Promise<Overview> {
    const [apps, instances, nodes, failingEndpoints] = await Promise.all([
      this.shownApps(),
      this.push.instances(),
      this.nodes.all(),
      this.webhooks.failing(),
    ]);
    return { apps, instances, ...nodes, failingEndpoints, editable: this.apps.stored?.editing !== undefined };
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
    const apps = await this.knownApps();
    return Promise.all(
      apps.map(async ({ id, name, key, enabled }, i) => ({
        id,
        name,
        key,
        enabled,
        ...(loads.get(id) ?? noLoad),
        channels: i < maxCounted ? await this.channels.count(id) : 0,
      })),
    );
  }

  /** Apps from the options and editable ones; for a repository that cannot list, the apps in use. */
  private async knownApps(): Promise<readonly App[]> {
    const ids = new Set([...(this.apps.configured?.all ?? [])].map(({ id }) => id));
    const editing = this.apps.stored?.editing;
    if (editing) for (const { settings } of await editing.all()) ids.add(settings.id);
    else for (const [id] of this.metrics.all) ids.add(id);
    const found = await Promise.all([...ids].map(async (id) => this.apps.findById(id)));
    return found.filter((app) => app !== undefined);
  }
}
