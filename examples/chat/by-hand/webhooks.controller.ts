import { Controller, HttpCode, Post, type RawBodyRequest, Req, UnauthorizedException } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import Pusher from 'pusher';
import { Rooms } from './rooms.js';

const remembered = 1000;

/** The library's type lacks users. */
interface MemberEvent {
  readonly name: string;
  readonly channel: string;
  readonly user_id: string;
}

/** The server is configured to send `member_added` and `member_removed` here. */
@Controller('webhooks')
export class WebhooksController {
  /** A webhook may arrive twice, if its answer was lost. */
  private readonly heard = new Set<string>();

  constructor(
    private readonly pusher: Pusher,
    private readonly rooms: Rooms,
  ) {}

  @Post()
  @HttpCode(200)
  async hear(@Req() { headers, rawBody }: RawBodyRequest<IncomingMessage>): Promise<void> {
    const text = rawBody?.toString() ?? '';
    const webhook = this.pusher.webhook({ headers, rawBody: text });
    if (!webhook.isValid()) throw new UnauthorizedException('Not signed by the server');
    if (this.heard.has(text)) return;
    for (const { name, channel, user_id: userId } of webhook.getEvents() as unknown as MemberEvent[]) {
      const room = /^presence-room\.(\w+)$/.exec(channel)?.[1];
      if (room === undefined || !this.rooms.has(room)) continue;
      if (name === 'member_added') await this.rooms.came(room, userId);
      if (name === 'member_removed') await this.rooms.went(room, userId);
    }
    this.heard.add(text);
    if (this.heard.size > remembered) this.heard.delete(this.heard.values().next().value ?? '');
  }
}
