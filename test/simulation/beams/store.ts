import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { MemoryPublishOutbox, type PublishRecord, Unavailable } from 'rookery/publish';
import { MemoryDeviceRepository, platforms } from 'rookery/push-device';
import { type Item, RpcLink } from '../../../apps/server/src/workers/rpc-link.js';
import { copyOf } from '../../../libs/testing/src/simulation/copy-of.js';
import { Party } from '../../../libs/testing/src/simulation/party.js';
import type { Random } from '../../../libs/testing/src/simulation/random.js';
import type { World } from '../../../libs/testing/src/simulation/world.js';
import type { Build } from '../builds.js';
import { jobsService, jobWatchers, servedJobs } from '../jobs.js';
import { devicesService, outboxService } from './ports.js';
import { throughRows } from './rows.js';
import { type Audience, type DiskMood, interests, users } from './schedule.js';

export const instance = { id: '00000000-0000-4000-8000-000000000001', secretKey: 'simulated-secret' };

/** A device, as the model knows it. */
export interface KnownDevice {
  readonly id: string;
  readonly user: string;
  readonly interests: readonly string[];
}

const writes = new Set(['add', 'save', 'leave', 'finish', 'claim', 'renew', 'done', 'retry', 'bury', 'note']);

/** The database that all nodes share. */
export class BeamsStore {
  readonly party = new Party('store');
  readonly devices: KnownDevice[] = [];
  /** The publishes of jobs whose writes failed, once for each write. */
  readonly failedWrites: string[] = [];
  private readonly repository = new MemoryDeviceRepository();
  private readonly outbox = new MemoryPublishOutbox();
  private readonly ownTables = new Map<Build, Readonly<Record<string, object>>>();
  private readonly links = new Set<RpcLink>();
  private replica: MemoryPublishOutbox | undefined;
  private disk: { readonly mood: DiskMood; readonly until: number } | undefined;

  constructor(private readonly world: World) {}

  /** Registers devices with users and interests. Their ids decide how a publish is split, so the seed decides them. */
  async register(count: number): Promise<void> {
    const random = this.world.random('devices');
    const real = crypto.randomUUID;
    Object.assign(crypto, { randomUUID: () => uuidOf(random) });
    syncBuiltinESMExports();
    try {
      for (let n = 0; n < count; n++) {
        const [platform, user] = [random.of(platforms), random.of(users)];
        const { id } = await this.repository.register(instance.id, { platform, token: `t${n}`, metadata: {} }, 1);
        const named = interests.filter(() => random.below(2) === 0);
        await this.repository.setInterests(instance.id, platform, id, new Set(named));
        await this.repository.setUser(instance.id, platform, id, user);
        this.devices.push({ id, user, interests: named });
      }
    } finally {
      Object.assign(crypto, { randomUUID: real });
      syncBuiltinESMExports();
    }
  }

  /** The devices that a publish must reach. */
  audience(audience: Audience): readonly KnownDevice[] {
    return this.devices.filter(({ user, interests: own }) => {
      if (audience.users) return audience.users.includes(user);
      const isSubscribed = (interest: string): boolean => own.includes(interest);
      const { interests: named, allOf = [], noneOf = [] } = audience;
      return named.some(isSubscribed) && allOf.every(isSubscribed) && !noneOf.some(isSubscribed);
    });
  }

  turn(mood: DiskMood, ms: number): void {
    this.disk = { mood, until: this.world.now + ms };
  }

  /** For so long, it answers what became of a publish as of now. */
  lagBehind(ms: number): void {
    const replica = (this.replica = copyOf(this.outbox));
    const end = (): void => {
      if (this.replica === replica) this.replica = undefined;
    };
    this.world.after(ms, end, this.world.outside);
  }

  /**
   * @param build of the node, if it is another one
   * @returns its end of the node's link
   */
  join(send: (items: readonly Item[]) => void, build?: Build): RpcLink {
    const link = new RpcLink((items) => send(JSON.parse(JSON.stringify(items)) as readonly Item[]));
    const outbox = build ? throughRows(this.outbox, build) : this.outbox;
    const woken = this.failing(outbox, (method) => {
      if (method === 'add' || method === 'save') for (const other of this.links) other.notify(jobWatchers, 'wake');
    });
    link.serve(outboxService, woken);
    link.serve(jobsService, this.failing(servedJobs(this.outbox.jobs, () => {})));
    link.serve(devicesService, this.repository);
    for (const [name, table] of Object.entries(build ? this.tablesOf(build) : {}))
      link.serve({ name }, this.failing(table));
    this.links.add(link);
    return link;
  }

  private tablesOf(build: Build): Readonly<Record<string, object>> {
    const tables = this.ownTables.get(build) ?? build.ownTables?.() ?? {};
    this.ownTables.set(build, tables);
    return tables;
  }

  leave(link: RpcLink): void {
    link.close();
    this.links.delete(link);
  }

  /** All publishes that it has accepted. */
  async publishes(): Promise<readonly PublishRecord[]> {
    const all = await this.outbox.latest(instance.id, Infinity);
    return Promise.all(all.map(async ({ id }) => (await this.outbox.find(instance.id, id))!));
  }

  /** The same, as long as the disk takes writes. @param done called after each call */
  private failing<Service extends object>(service: Service, done: (method: string) => void = () => {}): Service {
    const calling =
      (method: string) =>
      async (...args: readonly unknown[]): Promise<unknown> => {
        const { disk, world } = this;
        const mood = disk && world.now < disk.until && writes.has(method) ? disk.mood : undefined;
        const publishId = publishOf(args);
        if (mood !== undefined && publishId !== undefined) this.failedWrites.push(publishId);
        if (mood === 'full') throw new Unavailable('The database', new Error('No space is left on the disk'));
        const from = method === 'find' && service === this.outbox ? (this.replica ?? service) : service;
        const answer = await (from as Record<string, (...of: unknown[]) => unknown>)[method]!(...args);
        done(method);
        if (mood === 'unsure') throw new Unavailable('The database', new Error('The connection was lost'));
        return answer;
      };
    return new Proxy(service, { get: (_, method) => calling(String(method)) });
  }
}

/** The publish whose job it writes. */
const publishOf = ([job]: readonly unknown[]): string | undefined =>
  (job as { readonly key?: string } | undefined)?.key;

const uuidOf = (random: Random): string => {
  const hex = Array.from({ length: 32 }, () => random.below(16).toString(16)).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
