import { Get } from '@nestjs/common';
import { PathTail } from '#http';
import type { App } from '../app/app.js';
import { CurrentApp, Parameters } from '../access/signed-request.guard.js';
import { ChannelsService } from '../events/channels.service.js';
import { HistoryService } from '../events/history.service.js';
import { parseInfo } from '../events/trigger-request.js';
import { ChannelList } from './channel-list.js';
import { ChannelsApi } from '../access/channels-api.js';
import { userList } from './user-list.js';

interface ListQuery {
  readonly filter_by_prefix?: string;
  readonly info?: string;
}

interface HistoryQuery {
  readonly after?: string;
  readonly limit?: string;
}

const usersSuffix = '/users';
const eventsSuffix = '/events';

@ChannelsApi()
export class ChannelsController {
  constructor(
    private readonly channels: ChannelsService,
    private readonly history: HistoryService,
    private readonly channelList: ChannelList,
  ) {}

  /** api § GET /apps/<app_id>/channels */
  @Get('channels')
  list(@CurrentApp() app: App, @Parameters() query: ListQuery) {
    return this.channelList.answer(this.channels.pages(app, query));
  }

  /**
   * api § GET /apps/<app_id>/channels/<channel_name>, …/<channel_name>/users and …/<channel_name>/events. One route
   * with a tail, because a name may be longer than a path parameter can be.
   */
  @Get('channels/*tail')
  one(@CurrentApp() app: App, @PathTail() tail: string, @Parameters() query: ListQuery & HistoryQuery) {
    if (tail.endsWith(usersSuffix)) return this.users(app, tail.slice(0, -usersSuffix.length), query);
    if (tail.endsWith(eventsSuffix)) return this.history.read(app, tail.slice(0, -eventsSuffix.length), query);
    return this.channels.state(app, tail, query.info);
  }

  private async users(app: App, name: string, { info }: ListQuery) {
    const [asksInfo] = parseInfo(info, ['user_info'] as const);
    return asksInfo ? userList(await this.channels.members(app, name)) : this.channels.users(app, name);
  }
}
