import { Delete, Get, HttpCode, Injectable, type PipeTransform, Post, Put, Query, UseGuards } from '@nestjs/common';
import { cursorAfter, PathTail, RequestBody } from '#http';
import { type DevicePath, DevicesService } from '../devices.service.js';
import { isInterest } from '../interest.js';
import { InterestSet } from './bodies.js';
import { DeviceApi } from './device-api.js';
import { DeviceIdGuard, PathDevice, PlatformGuard } from './device-path.js';
import { parseCursor, parseLimit } from './page-parameters.js';
import { WriteRateGuard } from './write-rate.guard.js';
import { refusals } from '../push-device.errors.js';

/** Refuses an invalid interest name. */
@Injectable()
export class InterestPipe implements PipeTransform {
  transform(name: unknown): string {
    if (!isInterest(name)) throw refusals.invalidInterest();
    return name;
  }
}

@DeviceApi('devices/:platform/:deviceId/interests', PlatformGuard)
export class InterestsController {
  constructor(private readonly devices: DevicesService) {}

  @Get()
  async page(@PathDevice() path: DevicePath, @Query('limit') limit: unknown, @Query('cursor') cursor: unknown) {
    const after = parseCursor(cursor, isInterest);
    const { interests, hasMore } = await this.devices.interests(path, after, parseLimit(limit));
    const last = interests.at(-1);
    return { interests, responseMetadata: hasMore && last ? { nextCursor: cursorAfter(last) } : {} };
  }

  @Put()
  @UseGuards(WriteRateGuard)
  set(@PathDevice() path: DevicePath, @RequestBody(InterestSet) { interests }: InterestSet): Promise<void> {
    return this.devices.setInterests(path, new Set(interests));
  }

  @Post('*interest')
  @HttpCode(200)
  @UseGuards(DeviceIdGuard, WriteRateGuard)
  add(@PathDevice() path: DevicePath, @PathTail(InterestPipe) interest: string): Promise<void> {
    return this.devices.addInterest(path, interest);
  }

  @Delete('*interest')
  @UseGuards(DeviceIdGuard, WriteRateGuard)
  remove(@PathDevice() path: DevicePath, @PathTail(InterestPipe) interest: string): Promise<void> {
    return this.devices.removeInterest(path, interest);
  }
}
