import { Injectable, Logger } from '@nestjs/common';
import type { Awaitable } from 'rookery/common';

/** A change that others have to hear of, at its version. */
export interface Transition {
  readonly version: number;
  readonly tell: () => Awaitable<void>;
}

interface Waiting extends Transition {
  readonly settle: (told: Awaitable<void>) => void;
}

interface Subject {
  /** Those that are not answered yet. Each can only get a version greater than all that were answered before it began. */
  readonly calls: Set<{ readonly above: number }>;
  /** The greatest version that was answered. */
  answered: number;
  /** What is answered and not told yet, by version. */
  readonly waiting: Waiting[];
}

const firstRetryMs = 50;
const longestRetryMs = 5000;
/** For so long a repository answers a repeated call as it did the first. */
const repeatMs = 60_000;

/**
 * Makes calls that may change a subject, such as a member of a room, and tells of the changes in the order of their
 * versions, whichever answer comes first: a change is told when no call under way can still be answered with an earlier
 * one.
 */
@Injectable()
export class TransitionOrder {
  private readonly logger = new Logger('Channels');
  private readonly subjects = new Map<string, Subject>();

  /** Settles when what the call changed is told; rejects with what the call or the telling threw. */
  run<Answer>(
    subject: string,
    call: () => Awaitable<Answer>,
    transitionOf: (answer: Answer) => Transition | undefined,
  ): Awaitable<Answer> {
    const answered = call();
    if (!(answered instanceof Promise) && !this.subjects.has(subject)) {
      const told = transitionOf(answered)?.tell();
      return told instanceof Promise ? told.then(() => answered) : answered;
    }
    return this.follow(subject, answered, transitionOf);
  }

  /** The same for a call that must not get lost: rejects when it fails, and makes it again until it is answered. */
  async insist<Answer>(
    subject: string,
    call: () => Awaitable<Answer>,
    transitionOf: (answer: Answer) => Transition | undefined,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      let isRefused = false;
      const again = (error: unknown): Promise<Answer> => {
        isRefused = true;
        reject(asError(error));
        return repeated(call);
      };
      // Within the call that the order knows of, so that nothing later is told before it.
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
        if (isRefused) this.logger.error(`What ${subject} left was not taken out or not told: ${String(error)}`);
      });
    });
  }

  private async follow<Answer>(
    name: string,
    answered: Awaitable<Answer>,
    transitionOf: (answer: Answer) => Transition | undefined,
  ): Promise<Answer> {
    const subject = this.open(name);
    const call = { above: subject.answered };
    subject.calls.add(call);
    let told: Promise<void> | undefined;
    try {
      const answer = await answered;
      const transition = transitionOf(answer);
      if (transition) told = wait(subject, transition);
      return answer;
    } finally {
      subject.calls.delete(call);
      this.tellDue(name, subject);
      await told;
    }
  }

  private tellDue(name: string, subject: Subject): void {
    const { calls, waiting } = subject;
    let lowest = Infinity;
    for (const { above } of calls) lowest = Math.min(lowest, above);
    while (waiting[0] && waiting[0].version <= lowest) {
      const { tell, settle } = waiting.shift()!;
      settle((async () => tell())());
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
