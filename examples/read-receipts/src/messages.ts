import { Body, Controller, Headers, Injectable, Post } from '@nestjs/common';
import { ChannelAuthorizer, type ChannelMember } from 'rookery/authorization';
import { EventsService, OnSeen, type SeenActivity } from 'rookery/channels';

const channel = 'presence-team';

/** Sends messages, and tells the team who has received and read each. */
@Injectable()
export class Messages {
  constructor(private readonly events: EventsService) {}

  /** Trusts the name that the page sends. Your application checks a session or a token. */
  @ChannelAuthorizer(channel)
  enter(@Headers('x-name') name: string): ChannelMember {
    return { id: name };
  }

  async send(from: string, text: string): Promise<void> {
    await this.events.trigger('team', { name: 'message', channel, data: { from, text }, receipts: true });
  }

  @OnSeen(channel)
  async tell({ receipt, userId, seen }: SeenActivity): Promise<void> {
    await this.events.trigger('team', { name: seen, channel, data: { receipt, userId } });
  }
}

@Controller('messages')
export class MessagesController {
  constructor(private readonly messages: Messages) {}

  @Post()
  send(@Body() { from, text }: Readonly<Record<string, unknown>>): Promise<void> {
    return this.messages.send(String(from), String(text));
  }
}
