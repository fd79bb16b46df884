import type { JobStore } from 'rookery/jobs';
import {
  MemoryNotificationRepository,
  type NotificationRecord,
  NotificationRepository,
  Unavailable,
} from 'rookery/notifications';
import type { Platform } from 'rookery/push-device';
import { SharedState } from '../../../libs/testing/src/simulation/shared-state.js';
import type { World } from '../../../libs/testing/src/simulation/world.js';
import type { DiskMood } from '../beams/schedule.js';
import { app, instance } from './module.js';
import { users } from './schedule.js';

/** What changes notifications or their jobs. */
const writes = new Set(['add', 'shown', 'read', 'push', 'withdraw', 'skip', 'claim', 'renew', 'done', 'retry', 'bury']);
const platforms: readonly Platform[] = ['apns', 'fcm', 'web'];

/** Is told of each change of a notification, before and after it. */
export interface StoreListener {
  changing(method: string, record: NotificationRecord | undefined): void;
  changed(method: string, record: NotificationRecord | undefined, answer: unknown): void;
}

/** What all processes share. The notifications are on a disk that may refuse writes, or lose its answers. */
export class NotificationsStore {
  readonly shared = new SharedState();
  readonly notifications = new MemoryNotificationRepository();
  /** By user: the ids of their devices. */
  readonly devices = new Map<string, readonly string[]>();
  private disk: { readonly mood: DiskMood; readonly until: number } | undefined;

  constructor(
    private readonly world: World,
    private readonly listener: StoreListener,
  ) {
    this.shared.provided.set(
      NotificationRepository,
      this.failing(this.notifications, this.failing(this.notifications.jobs)),
    );
  }

  /** Each user has a device of each of some platforms. */
  async register(): Promise<void> {
    const random = this.world.random('devices');
    for (const user of users) {
      const own: string[] = [];
      for (const platform of platforms.filter((_, at) => at === 0 || random.below(2) === 0)) {
        const registration = { platform, token: `${user} ${platform}`, metadata: {} };
        const { id } = await this.shared.devices.register(instance.id, registration, 1);
        await this.shared.devices.setUser(instance.id, platform, id, user);
        own.push(id);
      }
      this.devices.set(user, own);
    }
  }

  turn(mood: DiskMood, ms: number): void {
    this.disk = { mood, until: this.world.now + ms };
  }

  private failing<Service extends object>(service: Service, jobs?: JobStore): Service {
    const invoke = async (method: string, args: readonly unknown[]): Promise<unknown> => {
      const { disk, world, listener } = this;
      const mood = disk && world.now < disk.until && writes.has(method) ? disk.mood : undefined;
      if (mood === 'full') throw new Unavailable('The database', new Error('No space is left on the disk'));
      const record = () => this.notifications.find(app.id, notificationIn(args) ?? '');
      listener.changing(method, await record());
      const answer = await (service as Record<string, (...of: readonly unknown[]) => unknown>)[method]!(...args);
      listener.changed(method, await record(), answer);
      if (mood === 'unsure') throw new Unavailable('The database', new Error('The connection was lost'));
      return answer;
    };
    return new Proxy(service, {
      get: (target, name) => {
        if (name === 'jobs' && jobs) return jobs;
        const value: unknown = Reflect.get(target, name);
        const isMethod = typeof value === 'function' && typeof name === 'string' && name !== 'constructor';
        return isMethod ? (...args: readonly unknown[]) => invoke(name, args) : value;
      },
    });
  }
}

/** The notification that a call changes: `add([notification])`, `push(job)`, `read(appId, id)`. */
function notificationIn([given, second]: readonly unknown[]): string | undefined {
  const first: unknown = Array.isArray(given) ? given[0] : given;
  return typeof first === 'object' ? (first as { readonly id?: string }).id : (second as string | undefined);
}
