import { it } from 'vitest';
import type { Awaitable } from 'rookery/common';

/** A promise of a port, put to the test on a fresh implementation. */
export interface Promised<Port> {
  /** What is promised, as a sentence. */
  readonly promise: string;
  readonly test: (port: Port) => Promise<void>;
}

/** Makes a fresh, empty implementation; `close` gives back what it holds. */
export type Fresh<Port> = () => Awaitable<{ readonly port: Port; readonly close?: () => Awaitable<void> }>;

/** One test for each promise of the contract. */
export function itKeeps<Port>(contract: readonly Promised<Port>[], fresh: Fresh<Port>): void {
  it.each(contract)('$promise', ({ test }) => keeps(test, fresh));
}

/** The promises that an implementation breaks: the proof that the contract notices. */
export async function brokenPromises<Port>(
  contract: readonly Promised<Port>[],
  fresh: Fresh<Port>,
): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const { promise, test } of contract) await keeps(test, fresh).catch(() => void broken.push(promise));
  return broken;
}

async function keeps<Port>(test: (port: Port) => Promise<void>, fresh: Fresh<Port>): Promise<void> {
  const { port, close } = await fresh();
  try {
    await test(port);
  } finally {
    await close?.();
  }
}
