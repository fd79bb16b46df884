import { Get } from '@nestjs/common';
import { describing, PathTail } from '#http';
import type { App } from '../app/app.js';
import { CurrentApp, Parameters } from '../access/signed-request.guard.js';
import { ChannelsService } from '../events/channels.service.js';
import { HistoryService } from '../events/history.service.js';
import { parseInfo } from '../events/trigger-request.js';
import { ChannelList } from './channel-list.js';
import { ChannelsApi } from '../access/channels-api.js';
import { userList } from './user-list.js';
import {
  invalidChannel,
  invalidInfo,
  noHistory,
  userCountNeedsPrefix,
  userCountNeedsPresence,
  usersNeedPresence,
} from '../channels.errors.js';
import { Signed } from '../access/signed-operation.js';
import { channelName } from './described-channels.js';

const { answer, count, flag, listOf, mapOf, may, shape, text } = describing;

const counts = { user_count: count, subscription_count: count };
const cache = { anyOf: [shape({ data: text, ttl: count }), { type: 'null' }] };

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
  @Signed('The occupied channels', () => ({
    parameters: [
      may('filter_by_prefix', 'Only channels whose names begin with this text'),
      may(
        'info',
        'Further attributes to answer: only user_count, for names that begin with presence-; with the ' +
          "app's `countsInChannelList`, user_count and subscription_count of all",
      ),
    ],
    answers: answer('The channels, by name', shape({ channels: mapOf(shape({}, counts)) }), {
      channels: { 'presence-room': { user_count: 42 } },
    }),
    refuses: [userCountNeedsPrefix(), invalidInfo(['user_count'])],
  }))
  list(@CurrentApp() app: App, @Parameters() query: ListQuery) {
    return this.channelList.answer(this.channels.pages(app, query));
  }

  /**
   * api § GET /apps/<app_id>/channels/<channel_name>, …/<channel_name>/users and …/<channel_name>/events. One route
   * with a tail, because a name may be longer than a path parameter can be.
   */
  @Get('channels/*tail')
  @Signed('One channel', () => ({
    path: '/apps/{appId}/channels/{channelName}',
    parameters: [
      channelName,
      may('info', 'Further attributes to answer, separated by commas: user_count, subscription_count, cache'),
    ],
    answers: answer(
      'Whether it is occupied, and the requested attributes',
      shape({ occupied: flag }, { ...counts, cache }),
      { occupied: true, subscription_count: 42 },
    ),
    refuses: [userCountNeedsPresence(), invalidChannel('my channel')],
  }))
  @Signed('The users of a presence channel', () => ({
    path: '/apps/{appId}/channels/{channelName}/users',
    parameters: [channelName, may('info', 'user_info: answer what the application has signed of each user')],
    answers: answer('Each user once', shape({ users: listOf(shape({ id: text }, { user_info: {} })) }), {
      users: [{ id: 'alice' }],
    }),
    refuses: [usersNeedPresence(), invalidInfo(['user_info'])],
  }))
  @Signed('The history of a channel, oldest event first', () => ({
    path: '/apps/{appId}/channels/{channelName}/events',
    parameters: [
      channelName,
      may('after', 'A position: only events after it'),
      may('limit', 'The maximum number', { type: 'integer', minimum: 1, maximum: 1000, default: 100 }),
    ],
    answers: answer(
      'Its events, whether any are missing, and the position to continue from',
      shape({
        events: listOf(shape({ position: text, name: text, data: text }, { user_id: text })),
        complete: flag,
        position: text,
      }),
    ),
    refuses: [noHistory('my-channel')],
  }))
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
