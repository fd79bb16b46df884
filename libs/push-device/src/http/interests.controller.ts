import { Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { JsonBody, PathTail, type JsonObject } from 'rookery/common';
import { DevicesService, type DevicePath } from '../devices.service.js';
import { cursorAfter } from '../interest-cursor.js';
import { DeviceApi } from './device-api.js';
import { PathDevice } from './device-path.js';
import { parseCursor, parseInterest, parseInterests, parseLimit } from './interest-parameters.js';

@DeviceApi('devices/:platform/:deviceId/interests')
export class InterestsController {
  constructor(private readonly devices: DevicesService) {}

  @Get()
  async page(@PathDevice() path: DevicePath, @Query('limit') limit: unknown, @Query('cursor') cursor: unknown) {
    const { interests, hasMore } = await this.devices.interests(path, parseCursor(cursor), parseLimit(limit));
    const last = interests.at(-1);
    return { interests, responseMetadata: hasMore && last ? { nextCursor: cursorAfter(last) } : {} };
  }

  @Put()
  set(@JsonBody() body: JsonObject, @PathDevice() path: DevicePath): Promise<void> {
    return this.devices.setInterests(path, parseInterests(body));
  }

  @Post('*interest')
  @HttpCode(200)
  add(@PathDevice({ strict: true }) path: DevicePath, @PathTail() interest: string): Promise<void> {
    return this.devices.addInterest(path, parseInterest(interest));
  }

  @Delete('*interest')
  remove(@PathDevice({ strict: true }) path: DevicePath, @PathTail() interest: string): Promise<void> {
    return this.devices.removeInterest(path, parseInterest(interest));
  }
}
