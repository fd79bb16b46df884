import {
  BadRequestException,
  Body,
  Controller,
  Get,
  Injectable,
  NotFoundException,
  Param,
  Post,
  Req,
  UseGuards,
} from '@nestjs/common';
import Pusher from 'pusher';
import { LoginGuard, People, type Person } from '../src/people.js';

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
export class Rooms {
  private readonly lines = new Map(rooms.map((room) => [room, [] as Line[]]));

  constructor(
    private readonly pusher: Pusher,
    private readonly people: People,
  ) {}

  has(room: string): boolean {
    return this.lines.has(room);
  }

  async came(room: string, userId: string): Promise<void> {
    await this.say(room, `${this.people.named(userId)} came in`);
  }

  async went(room: string, userId: string): Promise<void> {
    await this.say(room, `${this.people.named(userId)} left`);
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
    await this.pusher.trigger(`presence-room.${room}`, 'line', line);
  }
}

@Controller('rooms/:room/lines')
@UseGuards(LoginGuard)
export class RoomsController {
  constructor(private readonly rooms: Rooms) {}

  @Get()
  said(@Param('room') room: string): readonly Line[] {
    return this.rooms.said(room);
  }

  @Post()
  async say(
    @Param('room') room: string,
    @Body('text') text: unknown,
    @Req() { user }: { user: Person },
  ): Promise<void> {
    if (typeof text !== 'string' || text.trim() === '' || text.length > 1000)
      throw new BadRequestException('Say what?');
    await this.rooms.say(room, text.trim(), user.name);
  }
}
