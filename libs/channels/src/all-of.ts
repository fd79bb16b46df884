import type { Awaitable } from '#common';

type Step = () => Awaitable<void>;

/** Starts every step, in order, even after one has failed, and waits for all; then throws the failures. */
export async function allOf(steps: readonly Step[]): Promise<void> {
  const taken = await Promise.allSettled(steps.map(async (step) => step()));
  const errors: unknown[] = taken
    .filter(({ status }) => status === 'rejected')
    .map((each) => (each as PromiseRejectedResult).reason);
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors, errors.join('; '));
}

/** Undoes what was done before `error`, then throws it, together with any failure of the undo. */
export async function afterUndo(error: unknown, undo: Step): Promise<never> {
  try {
    await undo();
  } catch (second) {
    throw new AggregateError([error, second], `${String(error)}; then ${String(second)}`, { cause: second });
  }
  throw error;
}
