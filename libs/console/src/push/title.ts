import type { Payloads } from 'rookery/publish';
import { platforms } from 'rookery/push-device';

/** The title of a notification, or its text if it has none; null for a silent one. */
export function titleOf(payloads: Payloads): string | null {
  const shown = platforms.map((platform) => shownIn(payloads[platform]));
  return textIn(shown, 'title') ?? textIn(shown, 'body') ?? null;
}

type Shown = Readonly<Record<string, unknown>>;

/** The part of a payload that people see. */
function shownIn(payload: unknown): Shown {
  const { aps, notification, data } = objectIn(payload);
  const { alert } = objectIn(aps);
  if (typeof alert === 'string') return { body: alert };
  return objectIn(alert ?? notification ?? objectIn(data)['notification']);
}

const textIn = (all: readonly Shown[], name: string): string | undefined =>
  all.map((shown) => shown[name]).find((text) => typeof text === 'string' && text !== '') as string | undefined;

const objectIn = (value: unknown): Shown => (typeof value === 'object' && value !== null ? (value as Shown) : {});
