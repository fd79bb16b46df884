const unitMs = { ms: 1, second: 1000, minute: 60_000, hour: 3_600_000 } as const;

type Unit = keyof typeof unitMs;

/** A time: `'10 minutes'`, `'1 second'`, `'250 ms'`. */
export type Duration = `${number} ${Unit | `${Exclude<Unit, 'ms'>}s`}`;

/** In milliseconds. */
export function millisecondsIn(duration: Duration): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?) (ms|second|minute|hour)s?$/.exec(duration) ?? [];
  if (count === undefined) throw new Error(`A time such as '10 minutes' is expected, got '${duration}'`);
  return Number(count) * unitMs[unit as Unit];
}
