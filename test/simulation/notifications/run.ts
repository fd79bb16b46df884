import type { LoggerService } from '@nestjs/common';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { type NotificationRecord, NotificationsService, RookeryError, Unavailable } from 'rookery/notifications';
import { PushGateways } from 'rookery/internal/publish';
import { FakeApnsGateway } from '../../../libs/testing/src/gateways/fake-apns.gateway.js';
import { FakeFcmGateway } from '../../../libs/testing/src/gateways/fake-fcm.gateway.js';
import { FakeWebGateway } from '../../../libs/testing/src/gateways/fake-web.gateway.js';
import { PushRecord } from '../../../libs/testing/src/gateways/push-record.js';
import { Pump } from '../../../libs/testing/src/simulation/pump.js';
import { seedIds } from '../../../libs/testing/src/simulation/seeded-ids.js';
import { SimulatedClient } from '../../../libs/testing/src/simulation/simulated-client.js';
import { SimulatedCluster } from '../../../libs/testing/src/simulation/simulated-cluster.js';
import type { SimulatedProcess } from '../../../libs/testing/src/simulation/simulated-process.js';
import { SimulatedReceiver } from '../../../libs/testing/src/simulation/simulated-receiver.js';
import { inhabit } from '../../../libs/testing/src/simulation/world-timers.js';
import { nextTurn, World } from '../../../libs/testing/src/simulation/world.js';
import { titleOf } from '../beams/gateway.js';
import { hourMs, lateMs, turnClock } from '../lies.js';
import type { Outcome } from '../outcome.js';
import type { Prepare } from '../prepare.js';
import { nameOf, replacedAmong, wrongNotification } from './model.js';
import { app, instance, NotifyingModule } from './module.js';
import type { NotificationsOperation, NotificationsSchedule } from './schedule.js';
import { NotificationsStore } from './store.js';

/** Until everything that waits for something has got it or given up. */
const settleMs = 120_000;
/** After which a reader without an answer asks another process. */
const patienceMs = 8000;
/** How long a disturbance may be felt after it: clients notice, processes take over. */
const feltMs = 20_000;

interface Page {
  readonly user: string;
  readonly client: SimulatedClient;
}

/** What nodes log of refused writes is no failure. */
const silent: LoggerService = { log: () => {}, warn: () => {}, error: () => {} };

type OfProcess = Extract<NotificationsOperation, { readonly kind: 'pause' | 'stall' | 'kill' | 'drain' | 'hour' }>;

/** Runs a schedule, and checks what must hold. */
export class NotificationsRun {
  private readonly world: World;
  private readonly store: NotificationsStore;
  private readonly record = new PushRecord();
  private readonly cluster: SimulatedCluster;
  private readonly pump: Pump;
  private pages: readonly Page[] = [];
  /** Also those that were closed. */
  private readonly opened: Page[] = [];
  /** The names of notifications that a process has accepted. */
  private readonly accepted = new Set<string>();
  /** The ids of those that a reader has asked to mark as read, and whether a process has answered. */
  private readonly reads = new Map<string, boolean>();
  /** By id of the notification: the pages that nothing keeps from showing it. */
  private readonly expected = new Map<string, readonly Page[]>();
  private readonly disturbances: { readonly from: number; readonly to: number }[] = [];
  /** By name: when it was pushed. */
  private readonly pushedAt = new Map<string, number>();
  private kills = 0;
  /** The ids of all notifications, in the order in which the store accepted them. */
  private readonly known: string[] = [];

  constructor(
    private readonly schedule: NotificationsSchedule,
    prepare: Prepare = (module) => module,
    print?: (line: string) => void,
  ) {
    const world = (this.world = new World(schedule.seed, print, nextTurn));
    this.store = new NotificationsStore(world, this);
    this.pump = new Pump(world);
    const receiver = new SimulatedReceiver(world);
    const { record } = this;
    const gateways = [new FakeApnsGateway(record), new FakeFcmGateway(record), new FakeWebGateway(record)];
    this.cluster = new SimulatedCluster(
      {
        world,
        shared: this.store.shared,
        builder: () => prepare(Test.createTestingModule({ imports: [NotifyingModule] }).setLogger(silent)),
        create: async (builder: TestingModuleBuilder) =>
          (await builder.compile()).createNestApplication({ logger: silent }),
        gateways: new PushGateways(gateways),
        webhookClient: (party) => receiver.clientOf(party),
      },
      schedule.nodes,
    );
  }

  async outcome(): Promise<Outcome> {
    const { world, schedule, cluster, store } = this;
    inhabit(world);
    const restoreIds = seedIds(world.random('ids'));
    const startedAt = world.now;
    await store.register();
    await cluster.startAll();
    for (const operation of schedule.operations) world.after(operation.at, () => this.perform(operation));
    await world.runUntil(startedAt + schedule.minutes * 60_000 + settleMs + lateMs(schedule.operations));
    await this.check();
    restoreIds();
    const { failure, trace, events, now } = world;
    const figures = { deliveries: this.record.pushes.length, gaps: 0, kills: this.kills };
    return { failure, trace, events, ...figures, simulatedMs: now - startedAt };
  }

  // The store tells what becomes of notifications, in the order in which it does.

  changing(method: string, record: NotificationRecord | undefined): void {
    if (method !== 'shown' || !record) return;
    const isSeen = ({ user, client }: Page): boolean => user === record.userId && hasSeen(client, record.id);
    if (!this.opened.some(isSeen)) this.world.fail(`${nameOf(record)} is marked as shown, and no page has shown it`);
  }

  changed(method: string, record: NotificationRecord | undefined, answer: unknown): void {
    if (!record) return;
    const name = nameOf(record);
    if (method === 'add') {
      this.known.push(record.id);
      this.expected.set(record.id, this.undisturbed(record.userId));
    }
    if (method === 'shown' || method === 'read') this.world.note(`${name} is ${method}`);
    if (method !== 'push' || answer !== 'pushed') return;
    this.world.note(`${name} is pushed`);
    this.pushedAt.set(name, this.world.now);
    const { shownAt, readAt, withdrawnAt } = record;
    if (shownAt ?? readAt ?? withdrawnAt) this.world.fail(`${name} is pushed, although it was shown, read or replaced`);
    if ((this.expected.get(record.id) ?? []).length > 0)
      this.world.fail(`${name} is pushed, although a page of ${record.userId} was open`);
  }

  /** The pages of a user that show what comes now, unless something happens to them or to a process. */
  private undisturbed(of: string): readonly Page[] {
    if (this.isDisturbed(this.world.now)) return [];
    return this.pages.filter(({ user, client }) => user === of && client.isConnected);
  }

  /** Something keeps processes, pages or the store from what they do. */
  private disturb(ms: number): void {
    const { now } = this.world;
    this.disturbances.push({ from: now, to: now + ms + feltMs });
    // What waits for a page may not be shown now.
    this.expected.clear();
  }

  private isDisturbed(from: number, to = from): boolean {
    return this.disturbances.some((each) => each.from <= to && each.to >= from);
  }

  private perform(operation: NotificationsOperation): void {
    const { world } = this;
    world.note(JSON.stringify(operation));
    switch (operation.kind) {
      case 'notify':
        return this.notify(operation);
      case 'read': {
        const id = this.known[operation.notification % this.known.length];
        return id === undefined ? undefined : this.read(id, operation.node);
      }
      case 'open':
        return this.open(operation.user);
      case 'disk':
        this.disturb(operation.ms);
        return this.store.turn(operation.mood, operation.ms);
      case 'close':
      case 'break':
      case 'freeze':
        return this.toPage(operation);
      default:
        return this.toProcess(operation);
    }
  }

  private open(user: string): void {
    const { world, pump, cluster } = this;
    const parts = { world, pump, cluster, app, authEndpoint: undefined, userAuthEndpoint: undefined };
    const client = new SimulatedClient(parts, this.opened.length + 1, { user, session: false });
    this.opened.push({ user, client });
    this.pages = [...this.pages, { user, client }];
  }

  private toPage(operation: Extract<NotificationsOperation, { readonly page: number }>): void {
    const { world, pages } = this;
    const page = pages[operation.page % pages.length];
    if (!page) return;
    const { party } = page.client;
    switch (operation.kind) {
      case 'close':
        this.disturb(0);
        this.pages = pages.filter((each) => each !== page);
        return page.client.close();
      case 'break':
        this.disturb(0);
        return page.client.breakOff();
      case 'freeze':
        this.disturb(operation.ms);
        world.pause(party);
        world.after(operation.ms, () => world.resume(party), world.outside);
        return;
      default:
        operation satisfies never;
    }
  }

  private toProcess(operation: OfProcess): void {
    const { world, cluster } = this;
    const process = this.processFor(operation.node);
    if (!process) return;
    this.disturb(disturbanceOf(operation));
    const startAgain = (): void =>
      void world.after(
        'downMs' in operation ? operation.downMs : 0,
        () => cluster.start(process.number),
        world.outside,
      );
    switch (operation.kind) {
      case 'pause':
        world.pause(process.party);
        world.after(operation.ms, () => world.resume(process.party), world.outside);
        return;
      case 'hour':
        return turnClock(world, process.party, operation);
      case 'stall':
        return process.link.stall(operation.ms);
      case 'kill':
        this.kills += 1;
        cluster.kill(process);
        return startAgain();
      case 'drain':
        return cluster.stop(process, startAgain);
      default:
        operation satisfies never;
    }
  }

  private processFor(number: number): SimulatedProcess | undefined {
    const { serving } = this.cluster;
    return serving[number % serving.length];
  }

  private notify({ id, user, key, node }: Extract<NotificationsOperation, { readonly kind: 'notify' }>): void {
    const push = { apns: { aps: { alert: { title: id } } }, fcm: { notification: { title: id } } };
    const body = {
      event: { name: 'said', data: { id } },
      push: { ...push, web: { notification: { title: id } } },
      ...(key !== undefined && { collapseKey: key }),
    };
    const notify = async (process: SimulatedProcess): Promise<void> => {
      await process.get(NotificationsService).notify(user, body);
      this.accepted.add(id);
      this.world.note(`${id} is accepted`);
    };
    const process = this.processFor(node);
    if (process) this.ask(process, () => notify(process), id);
  }

  /** Asks one process after the other until one answers. */
  private read(id: string, node: number): void {
    const { world, reads } = this;
    if (reads.get(id)) return;
    reads.set(id, false);
    world.after(patienceMs, () => this.read(id, node + 1), world.outside);
    const process = this.processFor(node);
    if (!process) return;
    const read = async (): Promise<void> => {
      await process.get(NotificationsService).read(id);
      reads.set(id, true);
    };
    this.ask(process, read, `reading`);
  }

  private ask(process: SimulatedProcess, work: () => Promise<void>, what: string): void {
    const { world } = this;
    const ask = (): void =>
      void work().catch((error: unknown) => {
        world.note(`${what} is refused: ${String(error)}`);
        if (!(error instanceof Unavailable || error instanceof RookeryError))
          world.fail(`${what} was refused by an error that says nothing: ${String(error)}`);
      });
    world.after(1, ask, process.party);
  }

  private async check(): Promise<void> {
    const { world, store, accepted, reads } = this;
    const found = await Promise.all(this.known.map((id) => store.notifications.find(app.id, id)));
    const all = found.filter((record) => record !== undefined);
    const names = new Set(all.map(nameOf));
    for (const name of accepted) if (!names.has(name)) world.fail(`${name} was accepted and is lost`);
    const replaced = replacedAmong(all);
    const publishes = await this.publishes();
    for (const record of all) {
      const name = nameOf(record);
      const times = new Map<string, number>();
      for (const { deviceId, payload } of this.record.pushes)
        if (titleOf(payload) === name) times.set(deviceId, (times.get(deviceId) ?? 0) + 1);
      const pushedAt = this.pushedAt.get(name) ?? 0;
      const mayRepeat = this.isDisturbed(pushedAt, pushedAt + feltMs);
      const pushed = { times, publishes: publishes.get(name) ?? 0, mayRepeat };
      const wrong =
        wrongNotification(record, store.devices.get(record.userId)!, pushed) ??
        this.wrongState(record, replaced.has(record.id));
      if (wrong !== undefined) world.fail(`${name}: ${wrong}`);
    }
    if ([...reads.values()].includes(false)) world.fail('a notification could never be marked as read');
    await this.checkUnread(all, replaced);
  }

  private wrongState({ id, readAt, withdrawnAt }: NotificationRecord, isReplaced: boolean): string | undefined {
    if (this.reads.has(id) !== (readAt !== undefined)) return readAt ? 'nobody has read it' : 'it was read';
    if (withdrawnAt !== undefined && readAt === undefined && !isReplaced) return 'nothing has replaced it';
    return withdrawnAt === undefined && isReplaced ? 'a newer one has replaced it' : undefined;
  }

  private async checkUnread(all: readonly NotificationRecord[], replaced: ReadonlySet<string>): Promise<void> {
    const { world, reads, store } = this;
    for (const user of store.devices.keys()) {
      const unread = all.filter(({ id, userId }) => userId === user && !reads.has(id) && !replaced.has(id)).length;
      const counted = await store.notifications.unread(app.id, user);
      if (counted !== unread) world.fail(`${user} has ${counted} unread notifications instead of ${unread}`);
    }
  }

  /** By the name of a notification: how many publishes it has. */
  private async publishes(): Promise<ReadonlyMap<string, number>> {
    const { outbox } = this.store.shared;
    const counts = new Map<string, number>();
    for (const { id } of await outbox.latest(instance.id, Infinity)) {
      const name = titleOf((await outbox.find(instance.id, id))!.publish.payloads);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return counts;
  }
}

/** Claims of a node whose clock is ahead last longer by as much. */
const disturbanceOf = (operation: OfProcess): number =>
  operation.kind === 'hour' ? operation.forMs + hourMs : 'ms' in operation ? operation.ms : operation.downMs;

const hasSeen = ({ events }: SimulatedClient, id: string): boolean =>
  events.some(({ data }) => (data as { readonly rookery?: { readonly id: string } } | null)?.rookery?.id === id);
