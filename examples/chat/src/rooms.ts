import {
  BadRequestException,
  Body,
  Controller,
  Get,
  Injectable,
  NotFoundException,
  Param,
  Post,
  UseGuards,
} from '@nestjs/common';
import { ChannelAuthorizer, type ChannelMember, ChannelParam, CurrentUser } from 'rookery/authorization';
import { EventsService, type MemberActivity, OnMemberAdded, OnMemberRemoved } from 'rookery/channels';
import { Mentions } from './mentions.js';
import { LoginGuard, People, type Person } from './people.js';

const rooms = ['kitchen', 'garden', 'roof'];
const kept = 100;

/** A line that was said in a room, or a message that a member joined or left. */
export interface Line {
  /** The line's number in the room, so that the page shows each line once. */
  readonly number: number;
  readonly text: string;
  /** The name of the sender. */
  readonly from?: string;
}

@Injectable()
@UseGuards(LoginGuard)
export class Rooms {
  private readonly lines = new Map(rooms.map((room) => [room, [] as Line[]]));

  constructor(
    private readonly events: EventsService,
    private readonly people: People,
    private readonly mentions: Mentions,
  ) {}

  @ChannelAuthorizer('presence-room.{room}')
  enter(@CurrentUser() person: Person, @ChannelParam('room') room: string): ChannelMember | false {
    return this.lines.has(room) && { id: person.id, info: { name: person.name } };
  }

  @OnMemberAdded('presence-room.*')
  async came({ channel, userId }: MemberActivity): Promise<void> {
    await this.say(roomOf(channel), `${this.people.named(userId)} came in`);
  }

  @OnMemberRemoved('presence-room.*')
  async went({ channel, userId }: MemberActivity): Promise<void> {
    await this.say(roomOf(channel), `${this.people.named(userId)} left`);
  }

  said(room: string): readonly Line[] {
    const lines = this.lines.get(room);
    if (!lines) throw new NotFoundException(`There is no ${room}`);
    return lines;
  }

  async say(room: string, text: string, from?: string): Promise<void> {
    const lines = this.said(room);
    const line = { number: (lines.at(-1)?.number ?? 0) + 1, text, from };
    this.lines.set(room, [...lines, line].slice(-kept));
    await this.events.trigger('chat', { name: 'line', channel: `presence-room.${room}`, data: JSON.stringify(line) });
    if (from !== undefined) await this.mentions.tell(room, from, text);
  }
}

const roomOf = (channel: string): string => channel.slice('presence-room.'.length);

@Controller('rooms/:room/lines')
@UseGuards(LoginGuard)
export class RoomsController {
  constructor(private readonly rooms: Rooms) {}

  @Get()
  said(@Param('room') room: string): readonly Line[] {
    return this.rooms.said(room);
  }

  @Post()
  async say(@Param('room') room: string, @Body('text') text: unknown, @CurrentUser() { name }: Person): Promise<void> {
    if (typeof text !== 'string' || text.trim() === '' || text.length > 1000)
      throw new BadRequestException('Say what?');
    await this.rooms.say(room, text.trim(), name);
  }
}
