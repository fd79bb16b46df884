import type { PublishRecord } from 'rookery/publish';
import type { Item, RpcLink } from '../../../apps/server/src/workers/rpc-link.js';
import { Wire } from '../../../libs/testing/src/simulation/wire.js';
import { inhabit } from '../../../libs/testing/src/simulation/world-timers.js';
import { World } from '../../../libs/testing/src/simulation/world.js';
import { type Build, type BuildOf, buildsOf, thisBuild } from '../builds.js';
import { lateMs, turnClock } from '../lies.js';
import type { Outcome } from '../outcome.js';
import type { Prepare } from '../prepare.js';
import { Accepted } from './accepted.js';
import { Gateways, titleOf } from './gateway.js';
import { wrongPublish } from './model.js';
import type { BeamsNode } from './node.js';
import type { Audience, BeamsOperation, BeamsSchedule } from './schedule.js';
import { BeamsStore } from './store.js';

/** Until everything that waits for something has got it or given up. */
const settleMs = 180_000;
/** After which a publisher without an answer asks another node. */
const patienceMs = 8000;
/** The default of PublishModule. */
const leaseMs = 10_000;
const deviceCount = 120;
const latency = { least: 0.2, most: 3, slowShare: 0.1, slow: 60 };

type Publishing = Extract<BeamsOperation, { readonly kind: 'publish' }>;

interface Member {
  readonly node: BeamsNode;
  readonly build: Build;
  readonly wires: readonly Wire<readonly Item[]>[];
  readonly link: RpcLink;
}

/** Runs a schedule, and checks what must hold. */
export class BeamsRun {
  private readonly world: World;
  private readonly accepted = new Accepted();
  private readonly gateways: Gateways;
  private readonly store: BeamsStore;
  private members: readonly Member[] = [];
  /** By what they say: the publishes that a node has accepted. */
  private readonly acknowledged = new Map<string, string>();
  private readonly asked = new Map<string, Audience>();
  /** When nodes may have lost their work, by the clock of all nodes. */
  private readonly interruptions: { readonly from: number; readonly to: number }[] = [];
  private readonly buildOf: BuildOf;
  private started = 0;
  private kills = 0;

  constructor(
    private readonly schedule: BeamsSchedule,
    private readonly prepare: Prepare = (module) => module,
    print?: (line: string) => void,
    previous?: Build,
  ) {
    this.world = new World(schedule.seed, print);
    this.buildOf = buildsOf(schedule, previous);
    this.gateways = new Gateways(this.world, this.accepted);
    this.store = new BeamsStore(this.world);
  }

  async outcome(): Promise<Outcome> {
    const { world, schedule } = this;
    inhabit(world);
    const startedAt = world.now;
    await this.store.register(deviceCount);
    for (let n = 0; n < schedule.nodes; n++) world.after(0, () => this.start());
    for (const operation of schedule.operations) world.after(operation.at, () => this.perform(operation));
    await world.runUntil(startedAt + schedule.minutes * 60_000 + settleMs + lateMs(schedule.operations));
    await this.check();
    const { failure, trace, events, now } = world;
    const figures = { deliveries: this.accepted.count, gaps: 0, kills: this.kills };
    return { failure, trace, events, ...figures, simulatedMs: now - startedAt };
  }

  private async start(): Promise<void> {
    const { world, store, gateways } = this;
    const name = `node ${(this.started += 1)}`;
    const build = this.buildOf(this.started);
    // Only this build has what is changed.
    const prepare: Prepare = build === thisBuild ? this.prepare : (module) => module;
    const up: Wire<readonly Item[]> = new Wire(world, `${name} to store`, store.party, latency, (items) =>
      link.take(items),
    );
    const node = new build.BeamsNode(name, { world, gateways, prepare, send: (items) => up.send(items) });
    const down: Wire<readonly Item[]> = new Wire(world, `store to ${name}`, node.party, latency, (items) =>
      node.link.take(items),
    );
    const link = store.join((items) => down.send(items), build === thisBuild ? undefined : build);
    await node.start();
    this.members = [...this.members, { node, build, link, wires: [up, down] }];
    world.note(`${name} has started${build === thisBuild ? '' : ' as the previous build'}`);
  }

  private memberFor(number: number): Member | undefined {
    const serving = this.members.filter(({ node }) => node.isAlive && !node.isDraining);
    return serving[number % serving.length];
  }

  private perform(operation: BeamsOperation): void {
    this.world.note(JSON.stringify(operation));
    switch (operation.kind) {
      case 'publish':
        this.asked.set(operation.id, operation.audience);
        return this.publish(operation, operation.node);
      case 'gateway':
        return this.gateways.turn(operation.platform, operation.mood, operation.ms);
      case 'hang':
        return this.gateways.hang(operation.platform, operation.ms);
      case 'disk':
        return this.store.turn(operation.mood, operation.ms);
      case 'lag-publishes':
        return this.store.lagBehind(operation.forMs);
      default:
        return this.toNode(operation);
    }
  }

  /** Asks one node after the other until one answers. */
  private publish({ id, audience }: Publishing, number: number): void {
    const { world } = this;
    if (this.acknowledged.has(id)) return;
    const member = this.memberFor(number);
    world.after(patienceMs, () => this.publish({ id, audience } as Publishing, number + 1), world.outside);
    if (!member) return;
    const ask = (): void =>
      void member.node.publish(id, audience).then(
        ({ publishId }) => {
          world.note(`${id} is accepted`);
          this.acknowledged.set(id, publishId);
        },
        (error: unknown) => {
          world.note(`${id} is refused: ${String(error)}`);
          if (!(error instanceof member.build.Unavailable || error instanceof member.build.RookeryError))
            world.fail(`${id} was refused by an error that says nothing: ${String(error)}`);
        },
      );
    world.after(1, ask, member.node.party);
  }

  private toNode(operation: Extract<BeamsOperation, { readonly node: number }>): void {
    const { world } = this;
    const member = this.memberFor(operation.node);
    if (!member || operation.kind === 'publish') return;
    const { node, wires } = member;
    if (operation.kind === 'hour') return turnClock(world, node.party, operation);
    const lostFor = 'ms' in operation ? operation.ms + leaseMs : 0;
    if (operation.kind !== 'drain') this.interruptions.push({ from: world.date, to: world.date + lostFor });
    switch (operation.kind) {
      case 'pause':
        world.pause(node.party);
        world.after(operation.ms, () => world.resume(node.party), world.outside);
        return;
      case 'stall':
        for (const wire of wires) wire.stall(operation.ms);
        return;
      case 'kill':
        this.kills += 1;
        this.end(member);
        world.after(operation.downMs, () => this.start(), world.outside);
        return;
      case 'drain':
        void node.drain().then(() => world.after(1, () => this.end(member), world.outside));
        world.after(operation.downMs, () => this.start(), world.outside);
        return;
      default:
        operation satisfies never;
    }
  }

  private end({ node, link }: Member): void {
    this.world.kill(node.party);
    this.world.note(`${node.name} is gone`);
    this.store.leave(link);
    this.members = this.members.filter((member) => member.node !== node);
  }

  private async check(): Promise<void> {
    const { world, store, asked, acknowledged, accepted, schedule } = this;
    const records = new Map<string, PublishRecord[]>();
    for (const record of await store.publishes()) {
      const id = titleOf(record.publish.payloads);
      records.set(id, [...(records.get(id) ?? []), record]);
    }
    const mayExpire = lateMs(schedule.operations) > 0;
    const isStale = schedule.operations.some(({ kind }) => kind === 'lag-publishes');
    for (const [id, audience] of asked) {
      const [record, ...others] = records.get(id) ?? [];
      if (others.length > 0) world.fail(`${id} was published ${others.length + 1} times under one key`);
      if (acknowledged.has(id) && record?.publish.id !== acknowledged.get(id))
        world.fail(`${id} was acknowledged and is lost`);
      if (!acknowledged.has(id)) world.fail(`${id} was never acknowledged`);
      if (!record) continue;
      const devices = store.audience(audience).map((device) => device.id);
      // Nodes whose clocks differ take over what others work on.
      const interruptions = mayExpire || isStale ? Infinity : this.interruptionsOf(record);
      const wrong = wrongPublish(record, devices, accepted.of(id), interruptions, { mayExpire, isStale });
      if (wrong !== undefined) world.fail(`${id}: ${wrong}`);
    }
  }

  /** How often a page of it may have been sent and not stored. */
  private interruptionsOf({ publish, finishedAt = Infinity }: PublishRecord): number {
    const ofNodes = this.interruptions.filter(({ from, to }) => to >= publish.createdAt && from <= finishedAt);
    const ofWrites = this.store.failedWrites.filter((publishId) => publishId === publish.id);
    return ofNodes.length + ofWrites.length;
  }
}
