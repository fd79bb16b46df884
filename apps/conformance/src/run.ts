import { type Case, Mismatch, Skipped } from './case.js';
import { Subject, type Target } from './subject.js';

/** `dialect`: it differs as a server is known to, which `note` names. `failed`: `note` says what was expected, and what came. */
export interface Result {
  readonly id: string;
  readonly title: string;
  readonly source: string;
  readonly outcome: 'passed' | 'failed' | 'dialect' | 'skipped';
  readonly note: string;
  readonly durationMs: number;
}

const atOnce = 8;

/** Runs the cases, some at the same time, and answers in their order. */
export async function judged(target: Target, cases: readonly Case[]): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = [...cases.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await resultOf(target, next[1]);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

async function resultOf(target: Target, one: Case): Promise<Result> {
  const { id, title, source } = one;
  const subject = new Subject(target);
  const begun = performance.now();
  const ended = (outcome: Result['outcome'], note = ''): Result => {
    return { id, title, source, outcome, note, durationMs: Math.round(performance.now() - begun) };
  };
  try {
    await one.run(subject);
    return ended('passed');
  } catch (error) {
    if (error instanceof Skipped) return ended('skipped', error.message);
    const note = error instanceof Error ? error.message : String(error);
    const got = error instanceof Mismatch ? error.got : note;
    const dialect = one.dialects?.find((each) => each.got.test(got));
    return dialect ? ended('dialect', `as ${dialect.server} does: ${note}`) : ended('failed', note);
  } finally {
    subject.close();
  }
}
