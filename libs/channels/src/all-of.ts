import type { Awaitable } from '#common';

/** A part of some work. */
export type Step = () => Awaitable<void>;

/** Starts every step, in order, even after one has failed, and waits for all; then throws the failures. */
export async function allOf(steps: readonly Step[]): Promise<void> {
  const errors = await failuresOf(steps);
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors, errors.join('; '));
}

/** Takes every step of an undo, then throws `error`, together with any failures of the undo. */
export async function afterUndo(error: unknown, undo: readonly Step[]): Promise<never> {
  const errors = await failuresOf(undo);
  if (errors.length === 0) throw error;
  throw new AggregateError([error, ...errors], `${String(error)}; then ${errors.join('; ')}`, { cause: errors[0] });
}

async function failuresOf(steps: readonly Step[]): Promise<readonly unknown[]> {
  const taken = await Promise.allSettled(steps.map(async (step) => step()));
  return taken.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
}
