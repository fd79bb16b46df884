import { Get } from '@nestjs/common';
import { PathTail } from 'rookery/common';
import type { App } from '../access/app.js';
import { CurrentApp, Parameters } from '../access/signed-request.guard.js';
import { ChannelsService } from '../events/channels.service.js';
import { ChannelsApi } from './channels-api.js';

interface ListQuery {
  readonly filter_by_prefix?: string;
  readonly info?: string;
}

const usersSuffix = '/users';

@ChannelsApi()
export class ChannelsController {
  constructor(private readonly channels: ChannelsService) {}

  /** api § GET /apps/<app_id>/channels */
  @Get('channels')
  list(@CurrentApp() app: App, @Parameters() query: ListQuery) {
    return this.channels.list(app, query);
  }

  /**
   * api § GET /apps/<app_id>/channels/<channel_name> and …/<channel_name>/users. One route with a tail, since a name
   * may be longer than a path parameter can be.
   */
  @Get('channels/*tail')
  one(@CurrentApp() app: App, @PathTail() tail: string, @Parameters() { info }: ListQuery) {
    if (tail.endsWith(usersSuffix)) return this.channels.users(app, tail.slice(0, -usersSuffix.length));
    return this.channels.state(app, tail, info);
  }
}
