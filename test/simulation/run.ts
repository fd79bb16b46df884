import { type Backing, type BackingParts, inMemory } from './backing.js';
import { Client } from './client.js';
import { channels, users } from './cluster-options.js';
import { lateMs, turnClock } from './lies.js';
import { type Loss, Model, type Told, wrongWebhooks } from './model.js';
import type { ServingNode } from './node.js';
import type { Outcome } from './outcome.js';
import type { Prepare } from './prepare.js';
import { eventsIn } from './receiver.js';
import { type Trigger, wrongRate } from './limits/triggers.js';
import { Record } from './record.js';
import { type Hostile, hostile } from './hostile/index.js';
import { RudeClient } from './rude-client.js';
import type { ChannelsSchedule, Operation } from './schedule.js';
import { inhabit } from '../../libs/testing/src/simulation/world-timers.js';
import { World } from '../../libs/testing/src/simulation/world.js';

/** Until everything that waits for something has got it or given up. */
const settleMs = 90_000;
const askMs = 5000;

/** Runs a schedule, and checks what must hold. */
export class Run {
  readonly world: World;
  readonly record = new Record();
  readonly store: Backing['store'];
  readonly cluster: Backing['cluster'];
  readonly clients: readonly Client[];
  private readonly model: Model;
  private readonly failures: ReturnType<Backing['failuresOf']>;
  private readonly triggers: Trigger[] = [];
  private readonly updates: Backing['updates'];
  private readonly rude: RudeClient[] = [];
  private readonly hostile: Hostile[] = [];
  private kills = 0;

  constructor(
    private readonly schedule: ChannelsSchedule,
    prepare: Prepare = (module) => module,
    print?: (line: string) => void,
    backingFor: (parts: BackingParts) => Backing = inMemory(),
    isOver?: () => Promise<void>,
  ) {
    this.world = new World(schedule.seed, print, isOver);
    const { world, record } = this;
    const { limits } = schedule;
    const backing = backingFor({ world, record, schedule, prepare });
    this.store = backing.store;
    this.cluster = backing.cluster;
    this.updates = backing.updates;
    this.clients = Array.from({ length: schedule.clients }, (_, number) => {
      const kind = { user: users[number % users.length]!, hasSession: number % 3 !== 0 && !limits };
      return new Client(this.world, this.cluster, this.record, number, kind);
    });
    this.model = new Model(this.clients, this.cluster.counts, this.updates, limits);
    this.failures = backing.failuresOf(this.clients);
  }

  async outcome(): Promise<Outcome> {
    const { world, cluster, schedule, clients } = this;
    inhabit(world);
    const startedAt = world.now;
    const endsAt = startedAt + schedule.minutes * 60_000 + settleMs + lateMs(schedule.operations);
    // Those that are refused occupy a channel for a moment whenever they ask.
    if (schedule.limits) for (const client of clients) client.asksUntil = endsAt - askMs;
    for (let n = 0; n < schedule.nodes; n++) world.after(0, () => cluster.start());
    for (const operation of schedule.operations) world.after(operation.at, () => this.perform(operation));
    await world.runUntil(endsAt);
    await this.check();
    const { failure, trace, events, now } = world;
    const sum = (of: (client: Client) => number): number => clients.reduce((total, each) => total + of(each), 0);
    const figures = { deliveries: sum(({ deliveries }) => deliveries), gaps: sum(({ gaps }) => gaps) };
    return { failure, trace, events, ...figures, kills: this.kills, simulatedMs: now - startedAt };
  }

  private perform(operation: Operation): void {
    this.world.note(JSON.stringify(operation));
    if ('client' in operation) this.toClient(this.clients[operation.client]!, operation);
    else if ('node' in operation) {
      const node = this.cluster.nodeFor(operation.node);
      if (node) this.toNode(node, operation);
    } else if (operation.kind === 'failover') this.failures.failOver(operation.lagMs, operation.awayMs);
    else if (operation.kind === 'outage') this.failures.goDown(operation.awayMs, operation.forgets);
    else if (operation.kind === 'refuse') this.store.refuse(operation.ms);
    else if (operation.kind === 'torn') this.store.tear(operation.forMs);
    else this.store.lagBehind(operation);
  }

  private toClient(client: Client, operation: Extract<Operation, { readonly client: number }>): void {
    const { world } = this;
    const { party } = client;
    switch (operation.kind) {
      case 'connect':
        return client.connect();
      case 'disconnect':
        return client.disconnect();
      case 'subscribe':
        return client.subscribe(operation.channel);
      case 'unsubscribe':
        return client.unsubscribe(operation.channel);
      case 'say':
        return client.say(operation.channel, operation.times);
      case 'break':
        return client.breakOff(operation.isSilent);
      case 'stallClient':
        return client.stall(operation.ms);
      case 'freeze':
        world.pause(party);
        world.after(operation.ms, () => world.resume(party));
        return;
      default:
        operation satisfies never;
    }
  }

  private toNode(node: ServingNode, operation: Extract<Operation, { readonly node: number }>): void {
    const { world, cluster } = this;
    switch (operation.kind) {
      case 'trigger': {
        world.after(0, () => void this.trigger(node, operation), node.party);
        return;
      }
      case 'update':
        world.after(0, () => void this.updates.make(node, operation), node.party);
        return;
      case 'rude':
        this.rude.push(new RudeClient(world, node, this.rude.length, operation.rude));
        return;
      case 'hostile':
        this.hostile.push(hostile({ world, node, number: this.hostile.length }, operation.hostility));
        return;
      case 'pause':
        world.pause(node.party);
        world.after(operation.ms, () => world.resume(node.party));
        return;
      case 'kick':
        return cluster.kick(node, operation.awayMs, this.record);
      case 'stall':
        return cluster.stall(node, operation.ms);
      case 'clock':
        node.party.clockMs += operation.ms;
        return;
      case 'hour':
        return turnClock(world, node.party, operation);
      case 'kill':
        this.kills += 1;
        cluster.kill(node);
        world.after(operation.downMs, () => cluster.start());
        return;
      case 'drain':
        if (cluster.serving.length < 2) return;
        cluster.drain(node);
        world.after(operation.downMs, () => cluster.start());
        return;
      default:
        operation satisfies never;
    }
  }

  private async trigger(
    node: ServingNode,
    { channel, id }: Extract<Operation, { readonly kind: 'trigger' }>,
  ): Promise<void> {
    const trigger: Trigger = { channel, id, issuedAt: this.world.now };
    this.triggers.push(trigger);
    try {
      await node.trigger(channel, id);
      trigger.outcome = 'accepted';
    } catch (error) {
      // It fails while the store does not answer.
      trigger.outcome = (error as { readonly status?: number }).status === 429 ? 'too many' : 'failed';
    }
    trigger.answeredAt = this.world.now;
  }

  private async check(): Promise<void> {
    const { world, cluster, clients, model } = this;
    for (const client of clients) {
      const wrong = model.wrongFor(client);
      if (wrong !== undefined) world.fail(`client ${client.number}: in the end, ${wrong}`);
    }
    for (const { wrong } of [...this.rude, ...this.hostile]) if (wrong !== undefined) world.fail(wrong);
    const wrongLimit = model.wrongLimit ?? this.wrongRate;
    if (wrongLimit !== undefined) world.fail(wrongLimit);
    const limited = this.triggers.find(({ outcome }) => outcome === 'too many');
    if (limited && !this.schedule.limits) world.fail(`${limited.id} is refused for what a hostile app has kept`);
    const wrongInfo = this.updates.wrong;
    if (wrongInfo !== undefined) world.fail(wrongInfo);
    const lost = this.triggers.find((each) => each.outcome === 'accepted' && this.acceptedAt(each) === undefined);
    if (lost) world.fail(`${lost.id} of ${lost.channel} was acknowledged and is lost`);
    for (const node of cluster.serving) await this.checkNode(node);
    await this.checkWebhooks();
  }

  private get wrongRate(): string | undefined {
    const { schedule, triggers, failures } = this;
    if (!schedule.limits) return undefined;
    const isExcused = (since: number, until: number): boolean =>
      failures.all.some(({ from }) => since <= from && from <= until);
    return wrongRate(triggers, schedule.limits.triggersPerSecond, (each) => this.acceptedAt(each), isExcused);
  }

  private acceptedAt({ channel, id }: Trigger): number | undefined {
    const record = this.record.of(channel);
    return record.events[record.indexOf(id)]?.at;
  }

  private async checkWebhooks(): Promise<void> {
    const { world, cluster, model, store, schedule } = this;
    const { bodies } = cluster.receiver;
    // By the clock of another node, the time of a webhook may be over at once.
    const givenUp = lateMs(schedule.operations) > 0 ? await store.givenUp() : new Set();
    const lost = store.webhooks.find(({ body }) => !bodies.has(body) && !givenUp.has(body));
    if (lost) world.fail(`a stored webhook was never sent: ${lost.body}`);
    const wrong = wrongWebhooks(this.webhooks, model.subjects, cluster.inexact);
    if (wrong !== undefined) world.fail(wrong);
  }

  /**
   * In the order in which they were stored, with what the store lost in between. Those that two nodes send at once may
   * overtake each other, and what a killed node was about to send comes after what followed.
   */
  private get webhooks(): readonly (Told | Loss)[] {
    const { store, failures } = this;
    const losses = failures.all.flatMap(({ wholeAt: at, since = Infinity, present, owed = new Set() }) =>
      present ? [{ at, since, present, owed }] : [],
    );
    return [...store.webhooks, ...losses]
      .toSorted((one, other) => one.at - other.at)
      .flatMap((each): readonly (Told | Loss)[] => {
        if ('present' in each) return [each];
        const { at } = each;
        return eventsIn([each.body]).map((event) => ({ ...event, at, mayRepeat: failures.mayRepeat(at) }));
      });
  }

  private async checkNode(node: ServingNode): Promise<void> {
    for (const channel of channels) {
      const shown = await this.ask(node, () => node.shown(channel));
      const people = this.model.members(channel);
      const is = [shown?.subscription_count, shown?.user_count ?? people.length, shown?.users.join()];
      const should = [this.model.on(channel).length, people.length, people.join()];
      if (String(is) !== String(should))
        this.world.fail(`${node.name} shows ${channel} with ${is.join(' ')} instead of ${should.join(' ')}`);
    }
  }

  /** Lets a node do something that takes time. */
  private async ask<Answer>(node: ServingNode, work: () => Promise<Answer>): Promise<Answer | undefined> {
    let answer: Answer | undefined;
    this.world.after(0, () => void work().then((given) => (answer = given)), node.party);
    await this.world.runUntil(this.world.now + askMs);
    return answer;
  }
}
