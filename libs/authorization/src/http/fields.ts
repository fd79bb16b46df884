import type { IncomingMessage } from 'node:http';
import { isSocketId } from 'rookery/internal/channels';
import { isObject, utf8Text } from '#common';
import { messageOf, type PlatformRequest, rawBodyOf } from '#http';
import { badRequest } from '../refused.js';

/** The fields of a request's body and query: strings, and arrays of them. */
export type Fields = Readonly<Record<string, unknown>>;

/** The body's fields, from JSON or a form. @throws Refused 400 */
export function bodyFields(request: PlatformRequest): Fields {
  const text = utf8Text(rawBodyOf(request));
  if (text === undefined) throw badRequest('The request body is not UTF-8');
  if (!isJson(messageOf(request))) return formFields(text);
  try {
    const body: unknown = JSON.parse(text);
    if (isObject(body)) return body;
  } catch {
    // Treated like any body that is not an object.
  }
  throw badRequest('The request body is not a JSON object');
}

/** The query's fields. */
export function queryFields(request: PlatformRequest): Fields {
  const { url = '' } = messageOf(request);
  const at = url.indexOf('?');
  return at < 0 ? {} : formFields(url.slice(at + 1));
}

/** @throws Refused 400 */
export function socketIdOf({ socket_id: socketId }: Fields): string {
  if (isSocketId(socketId)) return socketId;
  throw badRequest(socketId === undefined ? 'Missing required parameter: socket_id' : 'Invalid socket_id');
}

/** @throws Refused 400 */
export function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value !== undefined && typeof value !== 'string') throw badRequest(`${name} must be a text`);
  return value;
}

/**
 * The requested channel, or several: `channel_name[]=a&channel_name[]=b`, with or without numbers in the brackets, or
 * an array. @throws Refused 400
 */
export function channelsOf({ channel_name: asked }: Fields, most: number): string | readonly string[] {
  if (asked === undefined) throw badRequest('Missing required parameter: channel_name');
  if (typeof asked === 'string') return asked;
  if (!Array.isArray(asked) || !asked.every((each): each is string => typeof each === 'string'))
    throw badRequest('channel_name must be a text, or an array of texts');
  if (asked.length > most) throw badRequest(`At most ${most} channels may be asked for at once`);
  return [...new Set(asked)];
}

const isJson = ({ headers }: IncomingMessage): boolean =>
  /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(headers['content-type'] ?? '');

/** A form's fields; repeated ones, and those with brackets, become an array. */
function formFields(text: string): Fields {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const plain = name.replace(/\[\d*\]$/, '');
    const before = fields.get(plain);
    if (Array.isArray(before)) before.push(value);
    else if (before !== undefined) fields.set(plain, [before, value]);
    else fields.set(plain, plain === name ? value : [value]);
  }
  return Object.fromEntries(fields);
}
