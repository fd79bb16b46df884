import { setTimeout } from 'node:timers/promises';
import { type Case, Mismatch, originOf, OtherWords, Skipped } from './case.js';
import { defaultPatienceMs, Subject, type Target } from './subject.js';

/**
 * `failed`: `note` says what was expected, and what came. `dialect`: it differs as a server is known to, which `note`
 * names. `wording`: only the English of a text differs.
 */
export interface Result {
  readonly id: string;
  readonly title: string;
  readonly source: string;
  readonly outcome: 'passed' | 'failed' | 'dialect' | 'wording' | 'skipped';
  readonly note: string;
  /** The last frame or request that the case sent, unless it passed. */
  readonly sent?: string;
  readonly durationMs: number;
}

const atOnce = 8;

/** Runs the cases, some at the same time and the rude ones at last, and answers in their order. */
export async function judged(target: Target, cases: readonly Case[]): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = [...cases.entries()].filter(([, { isRude }]) => !isRude);
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await resultOf(target, next[1]);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  let stoppedBy: string | undefined;
  for (const [n, one] of cases.entries()) {
    if (!one.isRude) continue;
    results[n] = await resultOf(target, stoppedBy ? skippedAfter(one, stoppedBy) : one);
    if (results[n].outcome === 'failed' && !(await isBack(target))) stoppedBy = one.id;
  }
  return results;
}

const skippedAfter = (one: Case, id: string): Case => ({
  ...one,
  run: () => Promise.reject(new Skipped(`the server has not answered since ${id}`)),
});

/** A server that stopped may start again. */
async function isBack(target: Target): Promise<boolean> {
  const end = performance.now() + (target.patienceMs ?? defaultPatienceMs);
  for (;;) {
    const subject = new Subject(target);
    try {
      await subject.connect();
      return true;
    } catch {
      if (performance.now() > end) return false;
      await setTimeout(100);
    } finally {
      subject.close();
    }
  }
}

async function resultOf(target: Target, one: Case): Promise<Result> {
  const { id, title } = one;
  const subject = new Subject(target);
  const begun = performance.now();
  const ended = (outcome: Result['outcome'], note = ''): Result => {
    const sent = outcome !== 'passed' && subject.sent !== undefined && { sent: subject.sent };
    return {
      id,
      title,
      source: originOf(one),
      outcome,
      note,
      ...sent,
      durationMs: Math.round(performance.now() - begun),
    };
  };
  try {
    await one.run(subject);
    return ended('passed');
  } catch (error) {
    if (error instanceof Skipped) return ended('skipped', error.message);
    const note = error instanceof Error ? error.message : String(error);
    const got = error instanceof Mismatch ? error.got : note;
    const dialect = one.dialects?.find((each) => each.got.test(got));
    if (dialect) return ended('dialect', `like ${dialect.server}: ${note}`);
    return ended(error instanceof OtherWords ? 'wording' : 'failed', note);
  } finally {
    subject.close();
  }
}
