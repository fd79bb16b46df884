import { createHash } from 'node:crypto';

/** Equal for bodies with the same content, whatever the order of their keys. */
export function fingerprint(kind: string, body: unknown): string {
  const sorted = JSON.stringify(body, (_key, value: unknown) => (isPlain(value) ? inOrder(value) : value));
  return createHash('sha256').update(`${kind}\n${sorted}`).digest('base64url');
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const inOrder = (object: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)));
