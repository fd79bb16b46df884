import { objectOr, parseJson } from './json.js';
import type { Outcome } from './push.gateway.js';

/**
 * The outcome of a 410. Apple's `timestamp`, in milliseconds, is when it learned that the device is gone: a later
 * registration takes precedence. Endpoints are untrusted, so a time that no database keeps counts as none.
 */
export function unregistered(body: string): Outcome {
  const { timestamp } = objectOr(parseJson(body));
  return Number.isSafeInteger(timestamp)
    ? { outcome: 'unregistered', before: timestamp as number }
    : { outcome: 'unregistered' };
}
