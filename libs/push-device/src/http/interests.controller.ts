import { Delete, Get, HttpCode, Injectable, type PipeTransform, Post, Put, Query, UseGuards } from '@nestjs/common';
import { bodySchemaOf } from '#common';
import { cursorAfter, describing, PathTail, RequestBody } from '#http';
import { type DevicePath, DevicesService } from '../devices.service.js';
import { isInterest } from '../interest.js';
import { InterestSet } from './bodies.js';
import { empty, ofADevice, ofAWrite, ofDevice, OfDevices } from './described-device.js';
import { DeviceApi } from './device-api.js';
import { DeviceIdGuard, PathDevice, PlatformGuard } from './device-path.js';
import { parseCursor, parseLimit } from './page-parameters.js';
import { WriteRateGuard } from './rate.guards.js';
import { refusals } from '../push-device.errors.js';

const { answer, body, inPath, pageOf, pageParameters, text } = describing;

const interest = inPath('interest', 'The name of the interest', { type: 'string', maxLength: 164 }, 'hello');
const one = () => ({
  path: '/device_api/v1/instances/{instanceId}/devices/{platform}/{deviceId}/interests/{interest}',
  parameters: [...ofDevice, interest],
  answers: empty,
  refuses: [...ofAWrite(), refusals.invalidDeviceId(), refusals.missingInterestName(), refusals.invalidInterest()],
});

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
  @OfDevices('The interests of a device', () => ({
    parameters: [...ofDevice, ...pageParameters],
    answers: answer('One page', pageOf('interests', text), { interests: ['hello'], responseMetadata: {} }),
    refuses: [...ofADevice(), refusals.invalidLimit(), refusals.invalidCursor()],
  }))
  async page(@PathDevice() path: DevicePath, @Query('limit') limit: unknown, @Query('cursor') cursor: unknown) {
    const after = parseCursor(cursor, isInterest);
    const { interests, hasMore } = await this.devices.interests(path, after, parseLimit(limit));
    const last = interests.at(-1);
    return { interests, responseMetadata: hasMore && last ? { nextCursor: cursorAfter(last) } : {} };
  }

  @Put()
  @OfDevices('Set all interests of a device', () => ({
    parameters: ofDevice,
    requestBody: body(bodySchemaOf(InterestSet), { interests: ['hello'] }),
    answers: empty,
    refuses: [...ofAWrite(), refusals.missingInterests(), refusals.invalidInterest(), refusals.tooManyInterests()],
  }))
  @UseGuards(WriteRateGuard)
  set(@PathDevice() path: DevicePath, @RequestBody(InterestSet) { interests }: InterestSet): Promise<void> {
    return this.devices.setInterests(path, new Set(interests));
  }

  @Post('*interest')
  @OfDevices('Add an interest', () => ({ ...one(), refuses: [...one().refuses, refusals.tooManyInterests()] }))
  @HttpCode(200)
  @UseGuards(DeviceIdGuard, WriteRateGuard)
  add(@PathDevice() path: DevicePath, @PathTail(InterestPipe) interest: string): Promise<void> {
    return this.devices.addInterest(path, interest);
  }

  @Delete('*interest')
  @OfDevices('Remove an interest', one)
  @UseGuards(DeviceIdGuard, WriteRateGuard)
  remove(@PathDevice() path: DevicePath, @PathTail(InterestPipe) interest: string): Promise<void> {
    return this.devices.removeInterest(path, interest);
  }
}
