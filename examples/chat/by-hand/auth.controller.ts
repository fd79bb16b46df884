import {
  BadRequestException,
  Body,
  Controller,
  ForbiddenException,
  HttpCode,
  Post,
  Req,
  UseGuards,
} from '@nestjs/common';
import Pusher from 'pusher';
import { LoginGuard, type Person } from '../src/people.js';
import { Rooms } from './rooms.js';

@Controller('pusher')
@UseGuards(LoginGuard)
export class AuthController {
  constructor(
    private readonly pusher: Pusher,
    private readonly rooms: Rooms,
  ) {}

  @Post('auth')
  @HttpCode(200)
  authorize(
    @Body('socket_id') socketId: unknown,
    @Body('channel_name') channel: unknown,
    @Req() { user }: { user: Person },
  ): Pusher.ChannelAuthResponse {
    if (typeof socketId !== 'string' || !/^\d+\.\d+$/.test(socketId)) throw new BadRequestException('No socket_id');
    if (typeof channel !== 'string') throw new BadRequestException('No channel_name');
    const room = /^presence-room\.(\w+)$/.exec(channel)?.[1];
    if (room === undefined || !this.rooms.has(room)) throw new ForbiddenException('Not for you');
    return this.pusher.authorizeChannel(socketId, channel, { user_id: user.id, user_info: { name: user.name } });
  }
}
