import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { ConcurrencyLimiter } from '#common';
import { batchOf, bodyAt, tryEncrypt, type BrowserKeys, type EncryptedBatch } from './encryption-batch.js';

/** At about 0.2 ms per encryption, a batch of this size returns soon enough. */
const maxPerBatch = 32;
/** Enough for the few batches that the thread holds. */
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 };
/** Without a thread, more encryptions per turn would block the event loop. */
const encryptionsPerTurn = 8;

interface Job {
  readonly plaintext: Uint8Array;
  readonly keys: BrowserKeys;
  readonly resolve: (body: Buffer | undefined | Promise<Buffer | undefined>) => void;
}

/**
 * Encrypts messages on a separate thread, which it starts when first needed and which keeps the process alive only
 * while it works. Without one (a single core, or a failed thread) it encrypts a few per turn of the event loop.
 */
export class Encryptor {
  private readonly logger = new Logger('WebPushGateway');
  private readonly turns = new ConcurrencyLimiter(encryptionsPerTurn).of('encryptions');
  private readonly sent = new Map<number, readonly Job[]>();
  private waiting: Job[] = [];
  private thread?: Worker;
  private batches = 0;

  /** `file` is the thread's program; `undefined`: no thread. */
  constructor(private file: string | undefined = threadFile()) {}

  /** The body for one browser; `undefined` if its key is not a point on the curve. */
  async encrypt(plaintext: Uint8Array, keys: BrowserKeys): Promise<Buffer | undefined> {
    if (this.file) return new Promise((resolve) => this.wait({ plaintext, keys, resolve }));
    await this.turns.takeTurn();
    return tryEncrypt(plaintext, keys);
  }

  async close(): Promise<void> {
    this.file = undefined;
    await this.thread?.terminate();
  }

  /** Requests made in one turn of the event loop go to the thread together. */
  private wait(job: Job): void {
    if (this.waiting.length === 0) setImmediate(() => this.flush());
    this.waiting.push(job);
  }

  private flush(): void {
    const jobs = this.waiting;
    this.waiting = [];
    for (let start = 0; start < jobs.length;) {
      const end = endOfBatch(jobs, start);
      this.send(jobs.slice(start, end));
      start = end;
    }
  }

  private send(jobs: readonly Job[]): void {
    const [first] = jobs;
    if (!first) return;
    if (!this.file) return this.encryptHere(jobs);
    const batch = batchOf(
      this.batches++,
      first.plaintext,
      jobs.map(({ keys }) => keys),
    );
    this.sent.set(batch.id, jobs);
    this.thread ??= this.started(this.file);
    this.thread.ref();
    this.thread.postMessage(batch, [batch.keys.buffer]);
  }

  private started(file: string): Worker {
    // The thread needs none of the process's startup flags, especially no instrumentation.
    const thread = new Worker(file, { execArgv: [], resourceLimits });
    thread.on('message', (encrypted: EncryptedBatch) => this.received(encrypted));
    thread.on('error', (error) => this.logger.warn(`The encryption thread failed: ${error.message}`));
    thread.on('exit', () => this.ended());
    return thread;
  }

  private received(encrypted: EncryptedBatch): void {
    const jobs = this.sent.get(encrypted.id) ?? [];
    this.sent.delete(encrypted.id);
    if (this.sent.size === 0) this.thread?.unref();
    for (const [i, { resolve }] of jobs.entries()) resolve(bodyAt(encrypted, i));
  }

  /** Encrypts the thread's unfinished jobs, and all later ones, in this thread. */
  private ended(): void {
    this.file = undefined;
    for (const jobs of this.sent.values()) this.encryptHere(jobs);
    this.sent.clear();
  }

  private encryptHere(jobs: readonly Job[]): void {
    for (const { plaintext, keys, resolve } of jobs) resolve(this.encrypt(plaintext, keys));
  }
}

/** The end of one batch: a single message, and a limited size. */
function endOfBatch(jobs: readonly Job[], start: number): number {
  let end = start;
  while (end < jobs.length && end - start < maxPerBatch && jobs[end]?.plaintext === jobs[start]?.plaintext) end++;
  return end;
}

/** A thread only pays off with its own core; when run from the sources, it has no compiled program. */
function threadFile(): string | undefined {
  const file = join(__dirname, 'encryption-thread.js');
  return availableParallelism() > 1 && existsSync(file) ? file : undefined;
}
