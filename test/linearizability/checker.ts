import type { Operation } from './history.js';

/** What a port promises, one call after the other. */
export interface Model<Input, Output, State> {
  /** JSON, so that equal states are recognized. */
  readonly initial: State;
  /**
   * The states that a call may lead to: none if it cannot have this answer here, several if the promise leaves it open.
   * Without an answer, any that the call may have.
   */
  readonly step: (state: State, input: Input, output: Output | undefined) => readonly State[];
}

/** Beyond it a history has too much at once to be decided. */
const maxTried = 200_000;

/**
 * Whether the calls can be put in one order that the model explains, in which each takes effect between its call and
 * its answer (Wing and Gong's search, with Lowe's memory of what was tried). Calls without an answer may be left out.
 *
 * @returns undefined, or the calls that no order explains after the longest explained beginning
 */
export function inexplicable<Input, Output, State>(
  { initial, step }: Model<Input, Output, State>,
  operations: readonly Operation<Input, Output>[],
): readonly Operation<Input, Output>[] | undefined {
  const inOrder = operations.toSorted((a, b) => a.calledAt - b.calledAt);
  const answered = inOrder.filter(({ answeredAt }) => answeredAt < Infinity).length;
  const tried = new Set<string>();
  const done = new Set<number>();
  let most = -1;
  let open: readonly Operation<Input, Output>[] = [];

  /**
   * Those that may be next, from the first that is not done: called before any that is not done was answered. Those
   * without an answer come last, because they may also happen later, when their effect is seen.
   */
  function candidates(first: number): number[] {
    const found: number[] = [];
    const unanswered: number[] = [];
    let end = Infinity;
    for (let index = first; index < inOrder.length && inOrder[index]!.calledAt <= end; index++) {
      if (done.has(index)) continue;
      (inOrder[index]!.answeredAt < Infinity ? found : unanswered).push(index);
      end = Math.min(end, inOrder[index]!.answeredAt);
    }
    return [...found, ...unanswered];
  }

  /** Which are done, written shortly: all before the first that is not, and others. */
  function situation(first: number): string {
    let text = String(first);
    for (let index = first + 1, left = done.size - first; left > 0; index++)
      if (done.has(index)) {
        text += `,${index}`;
        left -= 1;
      }
    return text;
  }

  function explains(state: State, explained: number, from: number): boolean {
    if (explained === answered) return true;
    let first = from;
    while (done.has(first)) first += 1;
    const here = `${situation(first)} ${JSON.stringify(state)}`;
    if (tried.has(here)) return false;
    tried.add(here);
    if (tried.size > maxTried)
      throw new Error(`Undecided after ${maxTried} situations, ${most} of ${answered} calls explained`);
    const next = candidates(first);
    if (explained > most) {
      most = explained;
      open = next.map((index) => inOrder[index]!);
    }
    for (const index of next) {
      const { input, output, answeredAt } = inOrder[index]!;
      done.add(index);
      const isAnswered = answeredAt < Infinity;
      for (const after of step(state, input, output)) {
        // Without an effect and an answer it is left out.
        if (!isAnswered && JSON.stringify(after) === JSON.stringify(state)) continue;
        if (explains(after, explained + (isAnswered ? 1 : 0), first)) return true;
      }
      done.delete(index);
    }
    return false;
  }

  return explains(initial, 0, 0) ? undefined : open;
}
