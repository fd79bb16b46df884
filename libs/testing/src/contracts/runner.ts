/** The functions of a test runner: those of Jest, Vitest and node:test fit. */
export interface Runner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, test: () => Promise<void>, timeoutMs?: number) => unknown;
}

/** The functions that Jest, and Vitest with `globals: true`, define in every spec. */
export function runnerOf(globals: Partial<Runner>): Runner {
  const { describe, it } = globals;
  if (typeof describe !== 'function' || typeof it !== 'function')
    throw new Error(
      'There is no global describe and it. Pass those of your test runner, as in ' +
        'describeBroker(() => new MyBroker(), { describe, it })',
    );
  return { describe, it };
}
