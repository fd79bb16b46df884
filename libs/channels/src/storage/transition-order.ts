import { Injectable, Logger } from '@nestjs/common';
import type { Awaitable } from '#common';

/** A change to announce, with its version. */
export interface Transition {
  readonly version: number;
  readonly announce: () => Awaitable<void>;
}

interface PendingTransition extends Transition {
  readonly settle: (announced: Awaitable<void>) => void;
}

interface Subject {
  /** Calls in progress. Each can only get a version greater than all that were answered before it began. */
  readonly calls: Set<{ readonly above: number }>;
  /** The greatest version answered. */
  answered: number;
  /** Changes answered but not yet announced, by version. */
  readonly waiting: PendingTransition[];
}

const firstRetryMs = 50;
const longestRetryMs = 5000;
/** For this long, a repository gives a repeated call the same answer. */
const repeatMs = 60_000;

/**
 * Makes calls that may change a subject, such as a member of a room, and announces the changes in the order of their
 * versions, whatever the order of the answers: a change is announced once no call in progress can still return an
 * earlier version.
 */
@Injectable()
export class TransitionOrder {
  private readonly logger = new Logger('Channels');
  private readonly subjects = new Map<string, Subject>();
  /** The calls that are repeated, by their callers. */
  private readonly repeats = new Map<string, Promise<void>>();

  /** Resolves when the change is announced; rejects with the error of the call or of the announcement. */
  run<Answer>(
    subject: string,
    call: () => Awaitable<Answer>,
    transitionOf: (answer: Answer) => Transition | undefined,
  ): Awaitable<Answer> {
    const answered = call();
    if (!(answered instanceof Promise) && !this.subjects.has(subject)) {
      const announced = transitionOf(answered)?.announce();
      return announced instanceof Promise ? announced.then(() => answered) : answered;
    }
    return this.follow(subject, answered, transitionOf);
  }

  /**
   * The same for a call that must not get lost: rejects when the call fails, and repeats it until it is answered.
   * @param caller with its own {@link repeatOf}
   */
  async insist<Answer>(
    subject: string,
    call: () => Awaitable<Answer>,
    transitionOf: (answer: Answer) => Transition | undefined,
    caller = subject,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      let isRefused = false;
      const again = (error: unknown): Promise<Answer> => {
        isRefused = true;
        reject(asError(error));
        const answered = repeated(call);
        this.remember(caller, answered);
        return answered;
      };
      // Within the tracked call, so that no later change is announced before it.
      const insistently = (): Awaitable<Answer> => {
        try {
          const answered = call();
          return answered instanceof Promise ? answered.catch(again) : answered;
        } catch (error) {
          return again(error);
        }
      };
      Promise.resolve(this.run(subject, insistently, transitionOf)).then(resolve, (error: unknown) => {
        reject(asError(error));
        if (isRefused) this.logger.error(`A change of ${subject} was not made or not announced: ${String(error)}`);
      });
    });
  }

  /**
   * Settles once the last call of a caller is repeated no more; undefined if none is. A caller that does the opposite
   * waits for it: repeated afterwards, the call would undo that.
   */
  repeatOf(caller: string): Promise<void> | undefined {
    return this.repeats.get(caller);
  }

  private remember(caller: string, answered: Promise<unknown>): void {
    const forget = (): void => {
      if (this.repeats.get(caller) === over) this.repeats.delete(caller);
    };
    const over = answered.then(forget, forget);
    this.repeats.set(caller, over);
  }

  private async follow<Answer>(
    name: string,
    answered: Awaitable<Answer>,
    transitionOf: (answer: Answer) => Transition | undefined,
  ): Promise<Answer> {
    const subject = this.open(name);
    const call = { above: subject.answered };
    subject.calls.add(call);
    let announced: Promise<void> | undefined;
    try {
      const answer = await answered;
      const transition = transitionOf(answer);
      if (transition) announced = wait(subject, transition);
      return answer;
    } finally {
      subject.calls.delete(call);
      this.announceDue(name, subject);
      await announced;
    }
  }

  private announceDue(name: string, subject: Subject): void {
    const { calls, waiting } = subject;
    let lowest = Infinity;
    for (const { above } of calls) lowest = Math.min(lowest, above);
    while (waiting[0] && waiting[0].version <= lowest) {
      const { announce, settle } = waiting.shift()!;
      settle((async () => announce())());
    }
    if (calls.size === 0 && waiting.length === 0) this.subjects.delete(name);
  }

  private open(name: string): Subject {
    let subject = this.subjects.get(name);
    if (!subject) this.subjects.set(name, (subject = { calls: new Set(), answered: 0, waiting: [] }));
    return subject;
  }
}

function wait(subject: Subject, transition: Transition): Promise<void> {
  subject.answered = Math.max(subject.answered, transition.version);
  return new Promise((settle) => {
    subject.waiting.push({ ...transition, settle });
    subject.waiting.sort((a, b) => a.version - b.version);
  });
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

async function repeated<Answer>(call: () => Awaitable<Answer>): Promise<Answer> {
  const until = performance.now() + repeatMs;
  for (let delayMs = firstRetryMs; ; delayMs = Math.min(2 * delayMs, longestRetryMs)) {
    await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
    try {
      return await call();
    } catch (error) {
      if (performance.now() > until) throw error;
    }
  }
}
