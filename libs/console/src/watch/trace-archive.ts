import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ConsoleStore, ThisNode, type TraceBlock } from 'rookery/internal/common';
import { Trace } from './trace.js';
import { type ArchivedLine, TraceAnswers } from './trace-answers.js';

const [compress, decompress] = [promisify(gzip), promisify(gunzip)];

const everyMs = 5000;
/** A process that records nothing stores an empty block so often: it still runs. */
const aliveMs = 60_000;
/** One whose last block is that old has ended, unless it answers. */
export const silentMs: number = aliveMs + 2 * everyMs;
/** More in that time would cost what joins and triggers cost; the trace still has them. */
const [maxSteps, maxEvents] = [5000, 1000];
/** The fastest. */
const level = 1;
const blocksPerPage = 20;

/** A block that was read. */
export interface ReadBlock extends Omit<TraceBlock, 'text'> {
  readonly lines: readonly ArchivedLine[];
}

/**
 * Stores what the trace has recorded of connections and events, without payloads, where a store keeps that: "Why?" then
 * answers for a day, over restarts. It reads the trace every few seconds, so recording costs no more.
 */
@Injectable()
export class TraceArchive implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Console');
  private timer: NodeJS.Timeout | undefined;
  private keeping: Promise<void> = Promise.resolve();
  private order = 0;
  private until = Date.now();
  private keptAt = Date.now();
  /** Whether entries were lost since the last block. */
  private hasGap = false;

  constructor(
    private readonly trace: Trace,
    private readonly answers: TraceAnswers,
    private readonly store: ConsoleStore,
    private readonly node: ThisNode,
  ) {}

  get isOn(): boolean {
    return this.store.keepsTraces && this.trace.isOn;
  }

  onApplicationBootstrap(): void {
    if (this.isOn) this.timer = setInterval(() => void this.keep(), everyMs).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.keep();
  }

  /** Stores what was recorded since the last call. */
  keep(): Promise<void> {
    return (this.keeping = this.keeping.then(() => (this.isOn ? this.keepFresh() : undefined)));
  }

  /** The blocks of all processes that name one of the words, the latest first. */
  async *blocks(words: readonly string[]): AsyncGenerator<ReadBlock> {
    const texts = words.map((word) => JSON.stringify(word));
    for (let before: TraceBlock | undefined; ;) {
      const page = await this.store.traceBlocks(before, blocksPerPage);
      for (const { text, ...block } of page) {
        const lines = String(await decompress(Buffer.from(text, 'base64'))).split('\n');
        const found = lines.filter((line) => texts.some((each) => line.includes(each)));
        yield { ...block, lines: found.map((line) => JSON.parse(line) as ArchivedLine) };
      }
      if (page.length < blocksPerPage) return;
      before = page.at(-1);
    }
  }

  private async keepFresh(): Promise<void> {
    const { lines, hasAllSteps } = this.answers.after(this.order, maxSteps, maxEvents);
    // Two blocks of a process never end at the same time.
    const [since, until] = [this.until, Math.max(Date.now(), this.until + 1)];
    if (!hasAllSteps) this.hasGap = true;
    this.order = this.trace.latest;
    this.until = until;
    if (lines.length === 0 && until - this.keptAt < aliveMs) return;
    const packed = await compress(lines.map((line) => JSON.stringify(line)).join('\n'), { level });
    const text = packed.toString('base64');
    // What is missing may be of the same time.
    const oldest = this.hasGap ? lines.findLast((line) => 'step' in line)?.step.activity.at : undefined;
    const block = { node: this.node.id, since: oldest ?? since, until, hasGap: this.hasGap, text };
    try {
      await this.store.keepTrace(block);
      this.hasGap = false;
      this.keptAt = until;
    } catch (error) {
      this.hasGap = true;
      this.logger.debug(`"Why?" lacks some seconds: ${(error as Error).message}`);
    }
  }
}
