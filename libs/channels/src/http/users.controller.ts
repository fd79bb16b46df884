import { HttpCode, Post } from '@nestjs/common';
import { PathTail } from '#http';
import type { App } from '../app/app.js';
import { CurrentApp } from '../access/signed-request.guard.js';
import { UsersService } from '../users/users.service.js';
import { ChannelsApi } from './channels-api.js';
import { notFound } from '../channels.errors.js';

/** What to do to all connections of a user, by the end of the path. */
const orders = { '/terminate_connections': 'terminate', '/reconnect': 'reconnect' } as const;

@ChannelsApi()
export class UsersController {
  constructor(private readonly users: UsersService) {}

  /**
   * api § POST /apps/<app_id>/users/<user_id>/terminate_connections, and api § Reconnecting a user. A tail, because a
   * user id may be long.
   */
  @Post('users/*tail')
  @HttpCode(200)
  async order(@CurrentApp() app: App, @PathTail() tail: string): Promise<Record<string, never>> {
    const end = tail.slice(tail.lastIndexOf('/'));
    if (end !== '/terminate_connections' && end !== '/reconnect') throw notFound();
    await this.users[orders[end]](app, tail.slice(0, -end.length));
    return {};
  }
}
