import { createHash } from 'node:crypto';
import { Random } from './random.js';
import { EventQueue, type WorldEvent } from './event-queue.js';
import { Party } from './party.js';

/** Resolves when all microtasks have run. It is much cheaper than a turn of the event loop. */
const allMicrotasks = (): Promise<void> => new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));

/** Node's own, whatever replaces it later. */
const immediate = setImmediate;

/** Resolves when all that was begun without waiting is over, such as what streams put off. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => immediate(resolve));

/** So that no time is 0, as in a real process. */
const startMs = 1000;
/** The rule that is broken by an error that is not caught. */
export const nothingThrows = 'nothing throws';
const epochMs = Date.UTC(2030, 0, 1);

/**
 * Decides what happens next, for all parties in this process. One event runs at a time, with all its microtasks; what
 * follows from it is added as further events. So the seed decides everything, and time passes only between events.
 */
export class World {
  readonly outside = new Party('outside');
  /** The party to which the current event happens: timers that it starts are its own. */
  party = this.outside;
  now = startMs;
  /** Whether time stands still. */
  isStill = false;
  events = 0;
  /** Set by the first rule that is broken. */
  failure: string | undefined;
  private readonly queue = new EventQueue();
  private readonly hash = createHash('sha256');
  private readonly randoms = new Map<string, Random>();
  private order = 0;

  constructor(
    readonly seed: number,
    private readonly print?: (line: string) => void,
    /** Resolves when an event is over. */
    private readonly isOver = allMicrotasks,
  ) {}

  /** Epoch milliseconds by the clock of the current party. */
  get date(): number {
    return epochMs + Math.floor(this.now) + this.party.clockMs;
  }

  /** How many events were ever added. */
  get added(): number {
    return this.order;
  }

  /** Each use has its own numbers, so that one that is dropped from a schedule leaves the others as they were. */
  random(use: string): Random {
    let random = this.randoms.get(use);
    if (!random) this.randoms.set(use, (random = new Random(hashOf(`${this.seed} ${use}`))));
    return random;
  }

  after(delayMs: number, run: WorldEvent['run'], party = this.party): WorldEvent {
    return this.at(this.now + Math.max(0, delayMs), run, party);
  }

  at(time: number, run: WorldEvent['run'], party = this.party): WorldEvent {
    const event = { at: time, order: ++this.order, party, run, isCancelled: false };
    this.queue.push(event);
    return event;
  }

  /** Runs everything until then, until a rule is broken, or until a condition holds. */
  async runUntil(time: number, isDone: () => boolean = () => false): Promise<void> {
    for (let event; (event = this.queue.first) && event.at <= time && this.failure === undefined;) {
      if (isDone()) return;
      this.queue.pop();
      this.now = Math.max(this.now, event.at);
      if (this.isDue(event)) await this.run(event);
    }
    if (this.failure === undefined && !isDone()) this.now = time;
  }

  /** Runs work of a party that is not split into events, such as the start of a process: time stands still. */
  async standStill<Result>(party: Party, work: () => Promise<Result>): Promise<Result> {
    this.party = party;
    this.isStill = true;
    try {
      return await work();
    } finally {
      this.isStill = false;
      this.party = this.outside;
    }
  }

  pause(party: Party): void {
    if (party.state === 'running') party.state = 'paused';
  }

  resume(party: Party): void {
    if (party.state !== 'paused') return;
    party.state = 'running';
    for (const event of party.held.splice(0)) {
      event.at = this.now;
      event.order = ++this.order;
      this.queue.push(event);
    }
  }

  /** From now on, nothing happens to it. */
  kill(party: Party): void {
    party.state = 'dead';
    party.held.length = 0;
  }

  /** Adds what happened to the trace. It must not contain what differs in each run, such as socket ids. */
  note(what: string): void {
    const line = `${this.now.toFixed(3)} ${this.party.name}: ${what}`;
    this.hash.update(`${line}\n`);
    this.print?.(line);
  }

  fail(rule: string): void {
    this.note(`broken: ${rule}`);
    this.failure ??= rule;
  }

  /** Equal for equal runs. */
  get trace(): string {
    return this.hash.copy().update(String(this.events)).digest('hex').slice(0, 16);
  }

  private isDue(event: WorldEvent): boolean {
    if (event.isCancelled || event.party.state === 'dead') return false;
    if (event.party.state === 'running') return true;
    event.party.held.push(event);
    return false;
  }

  private async run({ party, run }: WorldEvent): Promise<void> {
    this.events += 1;
    this.party = party;
    try {
      const pending = run();
      if (pending) await pending;
    } catch (error) {
      this.fail(`${nothingThrows}: ${error instanceof Error ? error.stack : String(error)}`);
    }
    await this.isOver();
    this.party = this.outside;
  }
}

function hashOf(text: string): number {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return hash;
}
