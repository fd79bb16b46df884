import type { Payloads } from 'rookery/publish';
import { platforms } from 'rookery/push-device';
import { seenOf } from './seen-text.js';

/** The title of a notification, or its text if it has none; null for a silent one. */
export function titleOf(payloads: Payloads): string | null {
  const seen = platforms.map((platform) => seenOf(payloads[platform]));
  return [...seen.map(({ title }) => title), ...seen.map(({ text }) => text)].find((each) => each !== '') ?? null;
}
