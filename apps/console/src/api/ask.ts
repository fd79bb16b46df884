import { signal } from '@preact/signals';
import { keepServerTime } from './server-clock.js';

/** Whether the last request got no answer. The frame of the pages says so, and nothing else does. */
export const isAway = signal(false);

/** An error answer of the server, with a text for people. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

/** Any error as one with a text for people. */
export const refusalOf = (error: unknown): Refusal =>
  error instanceof Refusal ? error : new Refusal(0, error instanceof Error ? error.message : String(error));

/** From this time on without an answer, a server that hangs counts as away. */
const slowMs = 5000;

let csrfToken: string | null = null;
let onSignedOut = (): void => {};

/** Every later request that changes something sends the token. */
export function useToken(token: string | null): void {
  csrfToken = token;
}

/** Called whenever the server reports that the session is over. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

/**
 * Requests `path` of the console's API, and returns the JSON, or undefined for an empty answer.
 *
 * @throws Refusal for an error answer, or none (status 0)
 */
export async function ask<T>(method: string, path: string, body?: unknown, abort?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (method !== 'GET' && csrfToken) headers['x-csrf-token'] = csrfToken;
  let answer: Response;
  let text: string;
  const askedAt = Date.now();
  // What changes something may wait for others, such as a push service.
  const slow = method === 'GET' ? setTimeout(() => (isAway.value = true), slowMs) : undefined;
  try {
    answer = await fetch(apiPath(path), {
      method,
      headers,
      signal: abort ?? null,
      body: body === undefined ? null : JSON.stringify(body),
    });
    text = await answer.text();
  } catch (error) {
    if (abort?.aborted) throw error;
    isAway.value = true;
    throw new Refusal(0, 'The server does not answer. It may be restarting, or the network is down.');
  } finally {
    clearTimeout(slow);
  }
  isAway.value = false;
  keepServerTime(answer.headers.get('date'), askedAt);
  if (answer.ok) return (text === '' ? undefined : JSON.parse(text)) as T;
  if (answer.status === 401 && path !== 'session') onSignedOut();
  const seconds = Number(answer.headers.get('retry-after'));
  throw new Refusal(answer.status, wordsOf(text) ?? `The server answered ${answer.status}.`, seconds || undefined);
}

export const apiPath = (path: string): string => `/console/api/${path}`;

/** A path from arbitrary values: each is encoded. */
export const pathOf = (...parts: readonly string[]): string => parts.map(encodeURIComponent).join('/');

/** Decodes a part of a path fully: the router leaves characters encoded that have a meaning in paths. */
export function nameOf(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Appends the parameters that have a value. */
export function withQuery(path: string, query: Readonly<Record<string, string | null | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

function wordsOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
