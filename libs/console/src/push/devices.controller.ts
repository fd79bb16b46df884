import { Delete, Get, HttpCode, Param, Query, UseGuards } from '@nestjs/common';
import { RookeryController } from 'rookery/common';
import { type Audience, platformOf } from 'rookery/push-device';
import { ConsoleGuard } from '../access/console.guard.js';
import type { Device, Devices } from '../contract.js';
import { badRequest, notFound } from '../console.errors.js';
import { PushColumn } from './push-column.js';

/** Each device is read in full. */
const pageSize = 25;
const mostInterests = 100;

type AskedDevices = Readonly<Record<string, unknown>>;

/** `/console/api/instances/:id/devices` */
@RookeryController('console/api/instances/:instance/devices')
@UseGuards(ConsoleGuard)
export class ConsoleDevicesController {
  constructor(private readonly push: PushColumn) {}

  @Get()
  async page(@Param('instance') instanceId: string, @Query() query: AskedDevices): Promise<Devices> {
    const { id } = await this.push.find(instanceId);
    const { device, cursor = '' } = query;
    if (typeof cursor !== 'string') throw badRequest('cursor must be the next of an earlier answer.');
    if (typeof device === 'string' && device !== '') {
      const found = await this.shown(id, device);
      return { devices: found ? [found] : [], next: null };
    }
    const asked = audienceOf(query);
    const { devices, hasMore } = await this.push.parts.devicesService.inAudience(id, asked, cursor, pageSize);
    const shown = await Promise.all(devices.map((each) => this.shown(id, each.id)));
    return { devices: shown.filter((each) => each !== undefined), next: hasMore ? devices.at(-1)!.id : null };
  }

  @Delete(':device')
  @HttpCode(204)
  async remove(@Param('instance') instanceId: string, @Param('device') device: string): Promise<void> {
    const { id } = await this.push.find(instanceId);
    const platform = platformOf(device);
    if (!platform) throw notFound('The device');
    await this.push.parts.devicesService.remove({ instanceId: id, platform, id: device });
  }

  private async shown(instanceId: string, id: string): Promise<Device | undefined> {
    const platform = platformOf(id);
    if (!platform) return undefined;
    const { devices } = this.push.parts;
    const device = await devices.find(instanceId, platform, id);
    if (!device) return undefined;
    const interests = await devices.interests(instanceId, platform, id, '', mostInterests);
    return {
      id,
      platform,
      userId: device.userId ?? null,
      interests: interests === 'unknown' ? [] : interests,
      metadata: device.metadata,
      lastSeenAt: device.registeredAt,
    };
  }
}

/** @throws ConsoleError 400 */
function audienceOf({ user, interest }: AskedDevices): Audience {
  if (typeof user === 'string' && user !== '') return { users: [user] };
  if (typeof interest === 'string' && interest !== '') return { interests: [interest] };
  throw badRequest('Name a device, a user or an interest.');
}
