import { Get, Optional } from '@nestjs/common';
import { type AppConfig, Apps, NodeLease } from 'rookery/internal/channels';
import { ThisNode } from 'rookery/internal/common';
import { ConsoleController } from '../access/console.guard.js';
import { ChannelList } from '../channels/channel-list.js';
import type { Overview, OverviewApp } from '../contract/index.js';
import { PushServices } from '../push/push-services.js';
import { WebhookAnswers } from '../webhooks/webhook-answers.js';
import { Processes } from '../processes/processes.js';

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

/** What an app causes. */
type AppLoad = Readonly<typeof noLoad>;

function sumOf(one: AppLoad, other: Partial<AppLoad>): AppLoad {
  const sum = { ...one };
  for (const name of Object.keys(noLoad) as (keyof AppLoad)[]) sum[name] += other[name] ?? 0;
  return sum;
}

/** `GET /console/api/overview` and `…/nodes` */
@ConsoleController('')
export class OverviewController {
  constructor(
    private readonly processes: Processes,
    private readonly node: ThisNode,
    private readonly apps: Apps,
    private readonly channels: ChannelList,
    private readonly push: PushServices,
    private readonly webhooks: WebhookAnswers,
    @Optional() private readonly lease?: NodeLease,
  ) {}

  @Get('overview')
  async overview(): Promise<Overview> {
    const [apps, instances, nodes, failingEndpoints] = await Promise.all([
      this.shownApps(),
      this.shownInstances(),
      this.cluster(),
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
  async cluster(): Promise<Pick<Overview, 'store' | 'nodes' | 'missingNodes'>> {
    const { answers, missing } = await this.processes.read('figures');
    const nodes = answers.map(({ node, answer }) => ({ id: node, here: node === this.node.id, ...answer }));
    return {
      store: this.lease?.storeName ?? null,
      nodes: nodes.toSorted((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1)),
      missingNodes: missing,
    };
  }

  private async shownApps(): Promise<readonly OverviewApp[]> {
    const loads = new Map<string, AppLoad>();
    for (const [id, load] of (await this.processes.all('appLoads')).flat())
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
    return this.push.instances(new Set((await this.processes.all('instances')).flat()));
  }
}
