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

const indented = (value: unknown): string => JSON.stringify(value, null, 2);
