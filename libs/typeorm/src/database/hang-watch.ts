import { setTimeout as sleep } from 'node:timers/promises';

const tickMs = 250;

/** From this time on without an answer, in ticks, the database is probed. */
const slowTicks = 4;

/** The time limit of one statement, in ticks: 30 s. */
const limitTicks = 120;

/** The ticks of a probe in which this process was not stopped itself. */
const fairTicks = 3;

/** The database does not answer at all, or not within the limit of a statement. */
export class NoAnswer extends Error {
  constructor(ticks: number) {
    super(`it has not answered for ${(ticks * tickMs) / 1000} s`);
  }
}

/** Work that waits for the database. */
interface WaitingWork {
  /** The tick at which its current statement began. */
  since: number;
  readonly giveUp: (reason: NoAnswer) => void;
}

/** How a database reacts to a new connection; `refuses`: it cannot be reached, or accepts none. */
export type Reaction = 'answers' | 'refuses' | 'is silent';

/**
 * Notices a database that hangs: its connections stay open, and it answers on none, not even a probe. All waiting work is
 * given up then, within about two seconds, and new work is refused at once until it reacts. A statement that hangs alone
 * is given up after 30 seconds.
 *
 * Time is counted in ticks, so that it does not pass while this process itself is stopped.
 */
export class HangWatch {
  private readonly waiting = new Set<WaitingWork>();
  private ticks = 0;
  private timer: NodeJS.Timeout | undefined;
  private isExamining = false;
  /** Whether new work is refused. */
  isHanging = false;
  private isStopped = false;

  /**
   * @param probe such as a new connection; settles within about a second
   * @param isPatient whether work waits as long as one statement may
   */
  constructor(
    private readonly probe: () => Promise<Reaction>,
    private readonly isPatient: () => boolean = () => false,
  ) {}

  /**
   * Begins a work, or its next statement.
   * @param giveUp ends its connection
   * @throws NoAnswer while the database hangs
   */
  begin(giveUp: (reason: NoAnswer) => void): WaitingWork {
    this.assertReacts();
    const work = { since: this.ticks, giveUp };
    this.waiting.add(work);
    this.timer ??= setInterval(() => this.tick(), tickMs).unref();
    return work;
  }

  /** @throws NoAnswer while the database hangs */
  assertReacts(): void {
    if (this.isHanging) throw new NoAnswer(2 * slowTicks);
  }

  end(work: WaitingWork): void {
    this.waiting.delete(work);
  }

  stop(): void {
    this.isStopped = true;
    clearInterval(this.timer);
  }

  private tick(): void {
    this.ticks++;
    this.giveUpAfter(limitTicks);
    if (this.waiting.size === 0 && !this.isExamining) {
      clearInterval(this.timer);
      this.timer = undefined;
    } else if (!this.isExamining && !this.isPatient() && this.isSlow()) void this.examine();
  }

  private isSlow(): boolean {
    return [...this.waiting].some(({ since }) => this.ticks - since >= slowTicks);
  }

  private async examine(): Promise<void> {
    this.isExamining = true;
    const began = this.ticks;
    const reaction = await this.probe();
    if (reaction === 'refuses') this.giveUpAfter(slowTicks);
    if (reaction === 'is silent' && this.ticks - began >= fairTicks) await this.hangs();
    this.isExamining = false;
  }

  private async hangs(): Promise<void> {
    this.isHanging = true;
    this.giveUpAfter(0, 2 * slowTicks);
    while (!this.isStopped && (await this.probe()) === 'is silent') await sleep(tickMs, undefined, { ref: false });
    this.isHanging = false;
  }

  private giveUpAfter(ticks: number, shown = ticks): void {
    for (const work of this.waiting) {
      if (this.ticks - work.since < ticks) continue;
      this.waiting.delete(work);
      work.giveUp(new NoAnswer(shown));
    }
  }
}
