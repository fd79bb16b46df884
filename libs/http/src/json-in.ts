import { writtenJson } from '#common';

/**
 * The JSON of a value that an application passed.
 * @param name of the value
 * @param refused makes the error, whose cause is then what JSON.stringify threw
 * @throws it where the value has no JSON, with the reason
 */
export function jsonIn(name: string, value: unknown, refused: (text: string) => Error): string {
  const written = writtenJson(value);
  if ('text' in written) return written.text;
  const error = refused(`${name} cannot be written as JSON: ${written.reason}`);
  if (written.cause !== undefined) error.cause = written.cause;
  throw error;
}
