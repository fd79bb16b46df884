import { Delete, Put } from '@nestjs/common';
import { describing, PathTail, RawBody } from '#http';
import { CurrentApp } from '../access/signed-request.guard.js';
import type { App } from '../app/app.js';
import {
  invalidChannel,
  invalidUserId,
  memberNotFound,
  missing,
  notFound,
  removalNeedsAuthorization,
  tooManyTriggers,
  userInfoNeedsPresence,
  userInfoTooLarge,
} from '../channels.errors.js';
import { jsonFields } from '../protocol/json-fields.js';
import { MembersService } from '../wings/members/members.service.js';
import { ChannelsApi } from '../access/channels-api.js';
import { Signed } from '../access/signed-operation.js';
import { channelName } from './described-channels.js';

const { answer, body, inPath, nothing, shape, text } = describing;

const member = {
  path: '/apps/{appId}/channels/{channelName}/users/{userId}',
  parameters: [channelName, inPath('userId', 'The id of a user on the channel', text, 'alice')],
};

/** api § Members of a channel: `/apps/<app_id>/channels/<channel_name>/users/<user_id>` */
@ChannelsApi()
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Put('channels/*tail')
  @Signed('Update the info of a member of a presence channel', () => ({
    ...member,
    requestBody: body(shape({ user_info: {} }), { user_info: { name: 'Alice', isAway: true } }),
    answers: answer('Subscribers are notified', nothing, {}),
    refuses: [
      userInfoNeedsPresence(),
      missing('user_info'),
      memberNotFound('alice', 'presence-room'),
      userInfoTooLarge(1024),
      tooManyTriggers(100),
    ],
  }))
  async update(@CurrentApp() app: App, @PathTail() tail: string, @RawBody() body: Buffer): Promise<Empty> {
    const place = placeOf(tail);
    const info = jsonFields(body.toString())?.get('user_info');
    if (info === undefined) throw missing('user_info');
    await this.members.updateExactly(app, ...place, info);
    return {};
  }

  @Delete('channels/*tail')
  @Signed('Remove a user from a private or presence channel', () => ({
    ...member,
    answers: answer('Their subscriptions end, on every process', nothing, {}),
    refuses: [removalNeedsAuthorization(), invalidChannel('my channel'), invalidUserId('')],
  }))
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
