/** What the server answered instead of what was asked for, in words for people. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

let csrfToken: string | null = null;
let onSignedOut = (): void => {};

/** Every later request that changes something carries it. */
export function useToken(token: string | null): void {
  csrfToken = token;
}

/** Called whenever the server reports that the session is over. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

/**
 * Asks the console's API, `path` without its prefix, and answers the JSON, or undefined where there is none.
 *
 * @throws Refusal where the answer is no, or there is none (status 0)
 */
export async function ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (method !== 'GET' && csrfToken) headers['x-csrf-token'] = csrfToken;
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(apiPath(path), {
      method,
      headers,
      signal: signal ?? null,
      body: body === undefined ? null : JSON.stringify(body),
    });
    text = await answer.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refusal(0, 'The server does not answer. It may be restarting, or the network is away.');
  }
  if (answer.ok) return (text === '' ? undefined : JSON.parse(text)) as T;
  if (answer.status === 401 && path !== 'session') onSignedOut();
  const seconds = Number(answer.headers.get('retry-after'));
  throw new Refusal(answer.status, wordsOf(text) ?? `The server answered ${answer.status}.`, seconds || undefined);
}

export const apiPath = (path: string): string => `/console/api/${path}`;

/** A path of values that may hold anything: each is encoded. */
export const pathOf = (...parts: readonly string[]): string => parts.map(encodeURIComponent).join('/');

/** What a part of a path that the router read stands for: it leaves what has a meaning in paths encoded. */
export function nameOf(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** With the parameters that have a value. */
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
