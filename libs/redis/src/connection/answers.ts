/** Redis answered what this release cannot read: another program or release wrote into its keys. */
export class UnreadableAnswer extends Error {
  /** Without the answer: it may contain what users wrote. */
  constructor(expected: string) {
    super(`Redis answered something other than ${expected}`);
  }
}

const refuse = (expected: string): never => {
  throw new UnreadableAnswer(expected);
};

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : refuse('a list'));

export const text = (value: unknown): string => (typeof value === 'string' ? value : refuse('a text'));

export const integer = (value: unknown): number => (Number.isSafeInteger(value) ? Number(value) : refuse('a number'));

/** As digits: what the scripts count does not fit into their integers. */
export const digits = (value: unknown): number => (/^\d{1,16}$/.test(text(value)) ? Number(value) : refuse('digits'));

export const json = (value: unknown): unknown => {
  try {
    return JSON.parse(text(value));
  } catch {
    return refuse('JSON');
  }
};

export function oneOf<Known extends string>(known: readonly Known[], value: unknown): Known {
  return known.find((each) => each === value) ?? refuse(`one of ${known.join(', ')}`);
}
