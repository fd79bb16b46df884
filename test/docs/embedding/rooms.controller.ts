import { BadRequestException, Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { EventsService, RookeryError } from 'rookery/channels';

@Controller('rooms')
export class RoomsController {
  constructor(private readonly events: EventsService) {}

  @Post(':room/notes')
  @HttpCode(204)
  async note(@Param('room') room: string, @Body() { text }: { text: string }) {
    try {
      await this.events.trigger('app-id', { channel: `presence-room.${room}`, name: 'note', data: { text } });
    } catch (error) {
      if (error instanceof RookeryError && error.code === 'invalid_channel')
        throw new BadRequestException('No such room');
      throw error;
    }
  }
}
