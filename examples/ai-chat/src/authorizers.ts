import { Injectable } from '@nestjs/common';
import { ChannelAuthorizer } from 'rookery/authorization';

/** Who may read a chat, stop its answers and steer them. Yours asks whose chat it is; this one has no users. */
@Injectable()
export class Authorizers {
  @ChannelAuthorizer('private-chat-{id}')
  anyone(): boolean {
    return true;
  }
}
