import type { Random } from './random.js';
import { type ProcessParts, SimulatedProcess } from './simulated-process.js';

/** How long it takes until the others know that a process is gone, in milliseconds. */
const noticeMs = 3000;
/** How long another process may take to take out what a dead one held. */
const takeOutMs = 10_000;

/** The processes of a host, and what starts them and notices that one is dead. */
export class SimulatedCluster {
  private readonly slots: (SimulatedProcess | undefined)[];
  private readonly starts: number[];
  private readonly random: Random;

  constructor(
    private readonly parts: ProcessParts,
    size: number,
  ) {
    this.slots = Array.from({ length: size }, () => undefined);
    this.starts = Array.from({ length: size }, () => 0);
    this.random = parts.world.random('cluster');
  }

  async startAll(): Promise<void> {
    for (let number = 1; number <= this.slots.length; number++) await this.start(number);
  }

  get size(): number {
    return this.slots.length;
  }

  /** The processes that clients can connect to. */
  get serving(): readonly SimulatedProcess[] {
    return this.slots.filter((process) => process !== undefined && process.isServing) as SimulatedProcess[];
  }

  /** One of them, as a load balancer chooses. */
  choose(random: Random): SimulatedProcess | undefined {
    const { serving } = this;
    return serving.length === 0 ? undefined : random.of(serving);
  }

  /** @throws if it is not running */
  process(number: number): SimulatedProcess {
    const process = this.slots[number - 1];
    if (!process?.isAlive) throw new Error(`Process ${number} is not running: there are 1 to ${this.slots.length}`);
    return process;
  }

  isRunning(number: number): boolean {
    return this.slots[number - 1]?.isAlive ?? false;
  }

  async start(number: number): Promise<void> {
    if (this.isRunning(number)) return;
    const starts = (this.starts[number - 1]! += 1);
    const process = new SimulatedProcess(number, `process ${number}${starts > 1 ? ` (${starts})` : ''}`, this.parts);
    await process.start();
    this.slots[number - 1] = process;
    this.announceCounts();
  }

  kill(process: SimulatedProcess): void {
    if (!process.isAlive) return;
    const { nodeId, number } = process;
    process.kill();
    this.parts.world.note(`${process.name} is gone`);
    if (this.slots[number - 1] === process) this.slots[number - 1] = undefined;
    this.parts.world.after(this.random.below(noticeMs), () => this.noticed(nodeId), this.parts.world.outside);
  }

  /** Ends a process in good order. @param ended called when it has ended */
  stop(process: SimulatedProcess, ended: () => void): void {
    const { world } = this.parts;
    const end = (): void => {
      // What is due in this turn is sent.
      world.after(0, () => this.kill(process), world.outside);
      world.after(0, ended, world.outside);
    };
    world.after(0, () => void process.drain().then(end), process.party);
  }

  private noticed(nodeId: string): void {
    this.announceCounts();
    this.takeOut(nodeId);
  }

  /** Until one process has done so: another is asked if it dies meanwhile. */
  private takeOut(nodeId: string): void {
    const { world } = this.parts;
    const survivor = this.choose(this.random);
    const again = (): void => void world.after(takeOutMs / 10, () => this.takeOut(nodeId), world.outside);
    if (!survivor) return again();
    let isDone = false;
    const work = (): void =>
      void survivor.takeOut(nodeId).then(
        () => (isDone = true),
        () => undefined,
      );
    world.after(0, work, survivor.party);
    const look = (): void => {
      if (!isDone) this.takeOut(nodeId);
    };
    world.after(takeOutMs, look, world.outside);
  }

  private announceCounts(): void {
    const alive = this.slots.filter((process) => process?.isAlive) as SimulatedProcess[];
    for (const process of alive) process.others(alive.length - 1);
  }
}
