import { Delete, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { isStorable, type JsonObject } from '#common';
import { JsonBody, RookeryController } from '#http';
import { type DeviceAddress, type DeviceCursor, platformOf, type PublishTarget } from 'rookery/push-device';
import { ConsoleGuard } from '../access/console.guard.js';
import {
  type Device,
  type DevicePublishes,
  type Devices,
  type DeviceTest,
  maxCountedDevices,
} from '../contract/index.js';
import { badRequest, notFound } from '../console.errors.js';
import { ConsoleSettings } from '../console.options.js';
import { devicePublishes, searchedPublishes } from './device-publishes.js';
import { sendTest, testNotification } from './device-test.js';
import { PushColumn } from './push-column.js';

/** Each device is read in full. */
const pageSize = 25;
const maxInterests = 100;

type AskedDevices = Readonly<Record<string, unknown>>;

/** `/console/api/instances/:id/devices` */
@RookeryController('console/api/instances/:instance/devices')
@UseGuards(ConsoleGuard)
export class ConsoleDevicesController {
  constructor(
    private readonly push: PushColumn,
    private readonly settings: ConsoleSettings,
  ) {}

  @Get()
  async page(@Param('instance') instanceId: string, @Query() query: AskedDevices): Promise<Devices> {
    const { id } = await this.push.find(instanceId);
    const { device, cursor = '' } = query;
    if (typeof cursor !== 'string' || !isStorable(cursor))
      throw badRequest('cursor must be the next of an earlier answer.');
    if (typeof device === 'string' && device !== '') {
      const found = await this.shown(id, device);
      return { devices: found ? [found] : [], total: null, next: null };
    }
    const target = audienceOf(query);
    const page = target ? await this.inAudience(id, target, cursor) : await this.latest(id, cursor);
    const shown = await Promise.all(page.devices.map((each) => this.shown(id, each.id)));
    return { ...page, devices: shown.filter((each) => each !== undefined) };
  }

  @Delete(':device')
  @HttpCode(204)
  async remove(@Param('instance') instanceId: string, @Param('device') device: string): Promise<void> {
    const { id } = await this.push.find(instanceId);
    const platform = platformOf(device);
    if (!platform) throw notFound('The device');
    await this.push.parts.devicesService.remove({ instanceId: id, platform, id: device });
  }

  @Get(':device/publishes')
  async publishes(@Param('instance') instanceId: string, @Param('device') device: string): Promise<DevicePublishes> {
    const { id } = await this.push.find(instanceId);
    const { hidePayloads } = this.settings;
    return {
      publishes: await devicePublishes(this.push.parts.publishes, id, device, hidePayloads),
      searched: searchedPublishes,
    };
  }

  /** Nothing of it is stored, and a token that is gone stays. */
  @Post(':device/test')
  @HttpCode(200)
  async test(
    @Param('instance') instanceId: string,
    @Param('device') id: string,
    @JsonBody() { body }: JsonObject,
  ): Promise<DeviceTest> {
    const instance = await this.push.find(instanceId);
    const { devices, gateways } = this.push.parts;
    const platform = platformOf(id);
    const device = platform && (await devices.find(instance.id, platform, id));
    if (!device) throw notFound('The device');
    return sendTest(gateways.of(device.platform), testNotification(instance, device, body), device);
  }

  /** The latest registered first; by their ids where they are too many to be read. */
  private async inAudience(id: string, target: PublishTarget, cursor: string) {
    const { devices, devicesService } = this.push.parts;
    const all = await devices.inAudience(id, target, '', maxCountedDevices);
    const total = all.length;
    if (total < maxCountedDevices) return { total, ...pageOf(latestFirst(all, placeIn(cursor))) };
    const page = await devicesService.inAudience(id, target, cursor, pageSize);
    return { total, devices: page.devices, next: page.hasMore ? page.devices.at(-1)!.id : null };
  }

  private async latest(id: string, cursor: string) {
    return { total: null, ...pageOf(await this.push.parts.devices.latest(id, pageSize + 1, placeIn(cursor))) };
  }

  private async shown(instanceId: string, id: string): Promise<Device | undefined> {
    const platform = platformOf(id);
    if (!platform) return undefined;
    const { devices } = this.push.parts;
    const device = await devices.find(instanceId, platform, id);
    if (!device) return undefined;
    const interests = await devices.interests(instanceId, platform, id, '', maxInterests);
    return {
      id,
      platform,
      userId: device.userId ?? null,
      bundleId: device.bundleIdentifier ?? null,
      interests: interests === 'unknown' ? [] : interests,
      metadata: device.metadata,
      lastSeenAt: device.registeredAt,
      goneSince: device.goneSince ?? null,
    };
  }
}

/** Absent: all devices. */
function audienceOf({ user, interest }: AskedDevices): PublishTarget | undefined {
  if (typeof user === 'string' && user !== '') return { users: [user] };
  if (typeof interest === 'string' && interest !== '') return { interests: [interest] };
  return undefined;
}

function latestFirst(all: readonly DeviceAddress[], before: DeviceCursor | undefined): readonly DeviceAddress[] {
  const later = (one: DeviceCursor, other: DeviceCursor): number =>
    other.registeredAt - one.registeredAt || Number(one.id < other.id) - Number(one.id > other.id);
  return all.filter((each) => !before || later(before, each) < 0).toSorted(later);
}

function pageOf(found: readonly DeviceAddress[]) {
  const devices = found.slice(0, pageSize);
  const last = devices.at(-1);
  return { devices, next: found.length > pageSize && last ? `${last.registeredAt}_${last.id}` : null };
}

/** @throws ConsoleError 400 */
function placeIn(cursor: string): DeviceCursor | undefined {
  if (cursor === '') return undefined;
  const [, registeredAt, id] = /^(\d{1,15})_([\w-]{1,100})$/.exec(cursor) ?? [];
  if (registeredAt === undefined || id === undefined) throw badRequest('cursor must be the next of an earlier answer.');
  return { registeredAt: Number(registeredAt), id };
}
