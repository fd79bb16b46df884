import { Delete, Put } from '@nestjs/common';
import { PathTail, RawBody } from '#http';
import { CurrentApp } from '../access/signed-request.guard.js';
import type { App } from '../app/app.js';
import { missing, notFound } from '../channels.errors.js';
import { jsonFields } from '../protocol/json-fields.js';
import { MembersService } from '../wings/members/members.service.js';
import { ChannelsApi } from '../access/channels-api.js';

/** api § Members of a channel: `/apps/<app_id>/channels/<channel_name>/users/<user_id>` */
@ChannelsApi()
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Put('channels/*tail')
  async update(@CurrentApp() app: App, @PathTail() tail: string, @RawBody() body: Buffer): Promise<Empty> {
    const place = placeOf(tail);
    const info = jsonFields(body.toString())?.get('user_info');
    if (info === undefined) throw missing('user_info');
    await this.members.updateExactly(app, ...place, info);
    return {};
  }

  @Delete('channels/*tail')
  async remove(@CurrentApp() app: App, @PathTail() tail: string): Promise<Empty> {
    await this.members.remove(app, ...placeOf(tail));
    return {};
  }
}

type Empty = Record<string, never>;

/** A channel's name has no slash, while the id of a user may contain any text. */
function placeOf(tail: string): [channel: string, userId: string] {
  const [, channel, userId] = /^([^/]+)\/users\/(.+)$/s.exec(tail) ?? [];
  if (channel === undefined || userId === undefined) throw notFound();
  return [channel, userId];
}
