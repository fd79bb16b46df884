import { Delete } from '@nestjs/common';
import { PathTail } from '#http';
import { CurrentApp } from '../access/signed-request.guard.js';
import type { App } from '../app/app.js';
import { notFound } from '../channels.errors.js';
import { MembersService } from '../wings/members/members.service.js';
import { ChannelsApi } from './channels-api.js';

/** api § Members of a channel: `/apps/<app_id>/channels/<channel_name>/users/<user_id>` */
@ChannelsApi()
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Delete('channels/*tail')
  async remove(@CurrentApp() app: App, @PathTail() tail: string): Promise<Record<string, never>> {
    await this.members.remove(app, ...placeOf(tail));
    return {};
  }
}

/** A channel's name has no slash, while the id of a user may contain any text. */
function placeOf(tail: string): [channel: string, userId: string] {
  const [, channel, userId] = /^([^/]+)\/users\/(.+)$/s.exec(tail) ?? [];
  if (channel === undefined || userId === undefined) throw notFound();
  return [channel, userId];
}
