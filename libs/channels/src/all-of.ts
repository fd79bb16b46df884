import type { Awaitable } from 'rookery/common';

type Step = () => Awaitable<void>;

/** Begins every step, in order, also after one that failed, and waits for all; throws then what failed. */
export async function allOf(steps: readonly Step[]): Promise<void> {
  const taken = await Promise.allSettled(steps.map(async (step) => step()));
  const errors: unknown[] = taken
    .filter(({ status }) => status === 'rejected')
    .map((each) => (each as PromiseRejectedResult).reason);
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors, errors.join('; '));
}

/** Takes back what was done before `error`, then throws it, and what failed of the taking back with it. */
export async function afterUndo(error: unknown, undo: Step): Promise<never> {
  try {
    await undo();
  } catch (second) {
    throw new AggregateError([error, second], `${String(error)}; then ${String(second)}`, { cause: second });
  }
  throw error;
}
