import { HttpCode, Post } from '@nestjs/common';
import { PathTail } from 'rookery/common';
import type { App } from '../access/app.js';
import { CurrentApp } from '../access/signed-request.guard.js';
import { UsersService } from '../users/users.service.js';
import { ChannelsApi } from './channels-api.js';
import { notFound } from '../channels.errors.js';

const suffix = '/terminate_connections';

@ChannelsApi()
export class UsersController {
  constructor(private readonly users: UsersService) {}

  /** api § POST /apps/<app_id>/users/<user_id>/terminate_connections; a tail, since a user id may be long. */
  @Post('users/*tail')
  @HttpCode(200)
  async terminate(@CurrentApp() app: App, @PathTail() tail: string): Promise<Record<string, never>> {
    if (!tail.endsWith(suffix)) throw notFound();
    await this.users.terminate(app, tail.slice(0, -suffix.length));
    return {};
  }
}
