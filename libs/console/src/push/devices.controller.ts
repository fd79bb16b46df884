import { Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { isStorable, type JsonObject } from 'rookery/internal/common';
import { JsonBody } from 'rookery/internal/http';
import {
  type DeviceAddress,
  type DeviceCursor,
  type Instance,
  platformOf,
  type PublishTarget,
} from 'rookery/push-device';
import { ConsoleController } from '../access/console.guard.js';
import {
  type Device,
  type DevicePublishes,
  type Devices,
  type DeviceTest,
  maxCountedDevices,
} from '../contract/index.js';
import { badRequest, notFound } from '../console.errors.js';
import { ConsoleSettings } from '../console.options.js';
import { pageOf, placeIn } from '../page.js';
import { devicePublishes, searchedPublishes } from './device-publishes.js';
import { sendTest, testNotification } from './device-test.js';
import { InInstance } from './instance-in-path.js';
import { PushServices } from './push-services.js';

/** Each device is read in full. */
const pageSize = 25;
const maxInterests = 100;

type AskedDevices = Readonly<Record<string, unknown>>;

/** `/console/api/instances/:id/devices` */
@ConsoleController('instances/:instance/devices')
export class ConsoleDevicesController {
  constructor(
    private readonly push: PushServices,
    private readonly settings: ConsoleSettings,
  ) {}

  @Get()
  async page(@InInstance() { id }: Instance, @Query() query: AskedDevices): Promise<Devices> {
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
  async remove(@InInstance() { id }: Instance, @Param('device') device: string): Promise<void> {
    const platform = platformOf(device);
    if (!platform) throw notFound('The device');
    await this.push.parts.devicesService.remove({ instanceId: id, platform, id: device });
  }

  @Get(':device/publishes')
  async publishes(@InInstance() { id }: Instance, @Param('device') device: string): Promise<DevicePublishes> {
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
    @InInstance() instance: Instance,
    @Param('device') id: string,
    @JsonBody() { body }: JsonObject,
  ): Promise<DeviceTest> {
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
    if (total < maxCountedDevices) return { total, ...pageOfDevices(latestFirst(all, placeOf(cursor))) };
    const page = await devicesService.inAudience(id, target, cursor, pageSize);
    return { total, devices: page.devices, next: page.hasMore ? page.devices.at(-1)!.id : null };
  }

  private async latest(id: string, cursor: string) {
    return { total: null, ...pageOfDevices(await this.push.parts.devices.latest(id, pageSize + 1, placeOf(cursor))) };
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

const cursorOf = ({ registeredAt, id }: DeviceCursor): string => `${registeredAt}_${id}`;

function pageOfDevices(found: readonly DeviceAddress[]) {
  const { rows: devices, next } = pageOf(found, cursorOf, pageSize);
  return { devices, next };
}

/** @throws ConsoleError 400 */
const placeOf = (cursor: string): DeviceCursor | undefined => placeIn(cursor, 'registeredAt', /^[\w-]{1,100}$/);
