import { InvalidArgumentError } from 'commander';

/** Parses an option's count. */
export function wholeNumber(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1');
}
