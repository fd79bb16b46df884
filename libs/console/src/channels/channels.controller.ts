import { Get, Query } from '@nestjs/common';
import {
  Broker,
  ChannelRepository,
  ChannelsSettings,
  historyOf,
  parseChannelName,
  type App,
} from 'rookery/internal/channels';
import { PathTail } from 'rookery/internal/http';
import { PresenceService } from 'rookery/presence';
import { ConsoleController } from '../access/console.guard.js';
import type { ChannelDetail, ShownMember } from '../contract/index.js';
import { notFound } from '../console.errors.js';
import { ConsoleSettings } from '../console.options.js';
import { InApp } from './app-in-path.js';
import { kindOf } from './channel-kind.js';
import { ChannelList, channelOrders } from './channel-list.js';
import { orderIn, pageQuery } from '../page.js';

/** `GET /console/api/apps/:app/channels` and `…/channels/:name` */
@ConsoleController('apps/:app/channels')
export class ConsoleChannelsController {
  constructor(
    private readonly list: ChannelList,
    private readonly channels: ChannelRepository,
    private readonly presence: PresenceService,
    private readonly broker: Broker,
    private readonly limits: ChannelsSettings,
    private readonly settings: ConsoleSettings,
  ) {}

  @Get()
  async page(@InApp() app: App, @Query() query: Readonly<Record<string, unknown>>) {
    return this.list.page(app.id, pageQuery(query), orderIn(channelOrders, query['sort']));
  }

  /** A wildcard: names may exceed the length of a path parameter. */
  @Get('*tail')
  async one(@InApp() app: App, @PathTail() name: string): Promise<ChannelDetail> {
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
