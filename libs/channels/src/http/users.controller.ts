import { HttpCode, Post } from '@nestjs/common';
import { describing, PathTail } from '#http';
import type { App } from '../app/app.js';
import { CurrentApp, Parameters } from '../access/signed-request.guard.js';
import { UsersService } from '../users/users.service.js';
import { parseInfo } from '../events/trigger-request.js';
import { ChannelsApi } from '../access/channels-api.js';
import { Signed } from '../access/signed-operation.js';
import { notFound } from '../channels.errors.js';

const { answer, flag, inPath, may, shape, text } = describing;

const endpoint = (order: string) => () => ({
  path: `/apps/{appId}/users/{userId}/${order}`,
  parameters: [
    inPath('userId', 'The id of a user who is signed in', text, 'alice'),
    may('info', 'online: answer whether the user was signed in'),
  ],
  answers: answer('Done; with `info=online`, whether the user was signed in', shape({}, { online: flag }), {}),
});

/** What to do to all connections of a user, by the end of the path. */
const orders = { '/terminate_connections': 'terminate', '/reconnect': 'reconnect' } as const;

@ChannelsApi()
export class UsersController {
  constructor(private readonly users: UsersService) {}

  /**
   * api § POST /apps/<app_id>/users/<user_id>/terminate_connections, and api § Reconnecting a user. A tail, because a
   * user id may be long. With `info=online`, it answers whether the user was online, before the order was given.
   */
  @Post('users/*tail')
  @HttpCode(200)
  @Signed('Close all connections of a user', endpoint('terminate_connections'))
  @Signed('Make the clients of a user reconnect with new tokens', endpoint('reconnect'))
  async order(
    @CurrentApp() app: App,
    @PathTail() tail: string,
    @Parameters() query: { readonly info?: string },
  ): Promise<{ readonly online?: boolean }> {
    const end = tail.slice(tail.lastIndexOf('/'));
    if (end !== '/terminate_connections' && end !== '/reconnect') throw notFound();
    const userId = tail.slice(0, -end.length);
    const [asksOnline] = parseInfo(query.info, ['online'] as const);
    const answer = asksOnline ? { online: await this.users.isOnline(app, userId) } : {};
    await this.users[orders[end]](app, userId);
    return answer;
  }
}
