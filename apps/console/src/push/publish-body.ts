import type { Platform, PushBody } from '../api/contract.js';
import { jsonFault } from '../parts/fields.js';
import { platforms } from './platforms.js';

/** The JSON for each platform; empty for none. */
export type Written = Readonly<Record<Platform, string>>;

/** A notification with a title and a text, in each platform's format; nothing without either. */
export function writtenOf(title: string, text: string): Written {
  if (title === '' && text === '') return { apns: '', fcm: '', web: '' };
  return {
    apns: indented({ aps: { alert: { title, body: text }, sound: 'default' } }),
    fcm: indented({ notification: { title, body: text } }),
    web: indented({ notification: { title, body: text } }),
  };
}

/** The body of a publish; undefined while a part of it is invalid JSON. */
export function bodyOf(written: Written): PushBody | undefined {
  if (platforms.some((platform) => jsonFault(written[platform]))) return undefined;
  const given = platforms.filter((platform) => written[platform].trim() !== '');
  return Object.fromEntries(given.map((platform) => [platform, JSON.parse(written[platform])]));
}

/**
 * The title and text in a gateway's request: for Google a message, for Apple and browsers a body with headers.
 */
export function seenOf(sent: unknown): { readonly title: string; readonly text: string } {
  const payload = at(sent, 'message') ?? (at(sent, 'headers') ? at(sent, 'body') : sent);
  const alert = at(payload, 'aps', 'alert');
  if (typeof alert === 'string') return { title: '', text: alert };
  const shown = alert ?? at(payload, 'notification') ?? at(payload, 'data', 'notification');
  return { title: words(at(shown, 'title')), text: words(at(shown, 'body')) };
}

function at(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value,
  );
}

const words = (value: unknown): string => (typeof value === 'string' ? value : '');
const indented = (value: unknown): string => JSON.stringify(value, null, 2);
