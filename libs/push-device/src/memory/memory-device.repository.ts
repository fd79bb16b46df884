import { Injectable } from '@nestjs/common';
import type { PublishTarget, Device, DeviceAddress } from '../device.js';
import {
  type DeviceCursor,
  DeviceRepository,
  type KnownEnvironment,
  maxInterestsPerDevice,
  type Registration,
  type RemovedDevice,
  seenOnceMs,
  type UnseenStep,
} from '../device.repository.js';
import type { Platform } from '../platform.js';
import { InstanceDevices } from './instance-devices.js';

/** In memory: for tests and trials, in one process. Devices are lost on restart. */
@Injectable()
export class MemoryDeviceRepository extends DeviceRepository {
  private readonly byInstance = new Map<string, InstanceDevices>();

  register(instanceId: string, registration: Registration, now: number) {
    const { id, interests } = this.of(instanceId).register(instanceId, registration, now);
    return { id, interests: [...interests] };
  }

  find(instanceId: string, platform: Platform, id: string): Device | undefined {
    const device = this.of(instanceId).find(platform, id);
    if (!device) return undefined;
    const { interests: _, seenAt: __, ...copy } = device;
    return copy;
  }

  remove(instanceId: string, platform: Platform, id: string): RemovedDevice | undefined {
    const device = this.of(instanceId).find(platform, id);
    return device && this.of(instanceId).remove(device);
  }

  setMetadata(instanceId: string, platform: Platform, id: string, metadata: Readonly<Record<string, string>>) {
    const device = this.of(instanceId).find(platform, id);
    if (!device) return 'unknown';
    device.metadata = metadata;
    return 'ok';
  }

  setToken(instanceId: string, platform: Platform, id: string, token: string, now: number) {
    const device = this.of(instanceId).find(platform, id);
    if (!device) return 'unknown';
    return this.of(instanceId).setToken(device, token, now);
  }

  setUser(instanceId: string, platform: Platform, id: string, userId: string) {
    const device = this.of(instanceId).find(platform, id);
    return device ? this.of(instanceId).setUser(device, userId) : 'unknown';
  }

  interests(instanceId: string, platform: Platform, id: string, after: string, limit: number) {
    const device = this.of(instanceId).find(platform, id);
    if (!device) return 'unknown';
    return [...device.interests]
      .filter((interest) => interest > after)
      .sort()
      .slice(0, limit);
  }

  setInterests(instanceId: string, platform: Platform, id: string, interests: ReadonlySet<string>) {
    const devices = this.of(instanceId);
    const device = devices.find(platform, id);
    if (!device) return 'unknown';
    if (interests.size > maxInterestsPerDevice) return 'full';
    for (const interest of device.interests) if (!interests.has(interest)) devices.removeInterest(device, interest);
    for (const interest of interests) devices.addInterest(device, interest);
    return 'ok';
  }

  addInterest(instanceId: string, platform: Platform, id: string, interest: string) {
    const device = this.of(instanceId).find(platform, id);
    if (!device) return 'unknown';
    if (device.interests.size >= maxInterestsPerDevice && !device.interests.has(interest)) return 'full';
    this.of(instanceId).addInterest(device, interest);
    return 'ok';
  }

  removeInterest(instanceId: string, platform: Platform, id: string, interest: string) {
    const device = this.of(instanceId).find(platform, id);
    if (!device) return 'unknown';
    this.of(instanceId).removeInterest(device, interest);
    return 'ok';
  }

  removeUser(instanceId: string, userId: string): readonly RemovedDevice[] {
    return this.of(instanceId).removeUser(userId);
  }

  inAudience(instanceId: string, target: PublishTarget, after: string, limit: number): readonly DeviceAddress[] {
    return this.of(instanceId).inAudience(target, after, limit);
  }

  latest(instanceId: string, limit: number, before?: DeviceCursor): readonly DeviceAddress[] {
    return this.of(instanceId).latest(limit, before);
  }

  markGone(instanceId: string, gone: readonly { readonly id: string; readonly before: number }[], now: number): void {
    this.of(instanceId).markGone(gone, now);
  }

  unmarkGone(instanceId: string, ids: readonly string[]): void {
    this.of(instanceId).unmarkGone(ids);
  }

  setEnvironments(instanceId: string, devices: readonly KnownEnvironment[]): void {
    this.of(instanceId).setEnvironments(devices);
  }

  removeUnregistered(instanceId: string, devices: readonly { readonly id: string; readonly before?: number }[]) {
    return this.of(instanceId).removeUnregistered(devices);
  }

  see(instanceId: string, platform: Platform, id: string, now: number): void {
    const device = this.of(instanceId).find(platform, id);
    if (device && now - (device.seenAt ?? -Infinity) >= seenOnceMs) device.seenAt = now;
  }

  removeUnseen({ before, now }: UnseenStep): {
    readonly removed: readonly RemovedDevice[];
    readonly last?: string;
  } {
    return { removed: [...this.byInstance.values()].flatMap((devices) => devices.removeUnseen(before, now)) };
  }

  private of(instanceId: string): InstanceDevices {
    const devices = this.byInstance.get(instanceId) ?? new InstanceDevices();
    this.byInstance.set(instanceId, devices);
    return devices;
  }
}
