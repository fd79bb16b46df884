import { Get, Param, Query, UseGuards } from '@nestjs/common';
import { Broker, ChannelRepository, ChannelsSettings, historyOf, parseChannelName } from 'rookery/channels';
import { PathTail, RookeryController } from '#http';
import { PresenceService } from 'rookery/presence';
import { ConsoleGuard } from '../access/console.guard.js';
import type { ChannelDetail, ShownMember } from '../contract/index.js';
import { notFound } from '../console.errors.js';
import { ConsoleSettings } from '../console.options.js';
import { AppInPath } from './app-in-path.js';
import { kindOf } from './channel-kind.js';
import { ChannelList, channelOrders } from './channel-list.js';
import { orderIn, pageQuery } from './page.js';

/** `GET /console/api/apps/:app/channels` and `…/channels/:name` */
@RookeryController('console/api/apps/:app/channels')
@UseGuards(ConsoleGuard)
export class ConsoleChannelsController {
  constructor(
    private readonly apps: AppInPath,
    private readonly list: ChannelList,
    private readonly channels: ChannelRepository,
    private readonly presence: PresenceService,
    private readonly broker: Broker,
    private readonly limits: ChannelsSettings,
    private readonly settings: ConsoleSettings,
  ) {}

  @Get()
  async page(@Param('app') id: string, @Query() query: Readonly<Record<string, unknown>>) {
    const app = await this.apps.find(id);
    return this.list.page(app.id, pageQuery(query), orderIn(channelOrders, query['sort']));
  }

  /** A wildcard: names may exceed the length of a path parameter. */
  @Get('*tail')
  async one(@Param('app') id: string, @PathTail() name: string): Promise<ChannelDetail> {
    const app = await this.apps.find(id);
    const channel = parseChannelName(name, this.limits.limits);
    if (!channel) throw notFound('The channel');
    const [subscriptions = 0] = await this.channels.subscriptionCounts(app.id, [name]);
    const members = channel.access === 'presence' ? await this.members(app.id, name) : null;
    const history = historyOf(app, name, this.limits.limits);
    return {
      name,
      kind: kindOf(name),
      occupied: subscriptions > 0,
      subscriptions,
      eventsPerSecond: await this.list.rateOf(app.id, name),
      users: members?.length ?? null,
      members,
      cached: channel.isCache && !this.settings.hidePayloads ? await this.cached(app.id, name) : null,
      history: history ? { events: history.events, seconds: history.seconds } : null,
    };
  }

  private async members(appId: string, name: string): Promise<readonly ShownMember[]> {
    const members = await this.presence.members({ scope: appId, name });
    return members.map(({ userId, userInfoJson }) => ({
      id: userId,
      info: this.settings.hidePayloads || userInfoJson === undefined ? null : (JSON.parse(userInfoJson) as unknown),
    }));
  }

  private async cached(appId: string, channel: string): Promise<{ name: string; data: string } | null> {
    const remembered = await this.broker.recall(appId, channel);
    if (!remembered) return null;
    // We wrote the event's text: `{"event":…,"channel":…,"data":"…"}`.
    const { event, data } = JSON.parse(remembered.text) as { event: string; data: string };
    return { name: event, data };
  }
}
