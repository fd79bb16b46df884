/** The server's URL, and how to call it. */
export interface ServerOptions {
  /** The server's base URL, such as `https://push.example.com`, including any path prefix. */
  readonly url: string;
  /** The timeout of a call, in milliseconds. @default 10000 */
  readonly timeoutMs?: number;
  /** Replaces the global `fetch`, for example by a service binding. */
  readonly fetch?: (url: string, request: RequestInit) => Promise<Response>;
}

/** The options of one call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal;
  /** Additional headers, such as `idempotency-key` for a trigger or publish that may be repeated. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The server refused the request. */
export class RequestFailed extends Error {
  declare readonly status: number;
  /** The answer's body: a line of text from Channels, JSON from Beams. */
  declare readonly body: string;
  /** The answer's headers, such as `retry-after`. */
  declare readonly headers: Headers;

  constructor({ status, headers }: Response, body: string) {
    super(`${status} ${body}`);
    Object.assign(this, { name: 'RequestFailed', status, body, headers });
  }
}

/**
 * Makes a call.
 * @returns the answer
 * @throws RequestFailed if it was refused; without an answer, the error of `fetch`: a TypeError, or a DOMException
 *   named `TimeoutError`
 */
export async function request<Answer>(
  { url, timeoutMs = 10_000, fetch: send = fetch }: ServerOptions,
  method: string,
  path: string,
  body: string | undefined,
  { signal, headers }: CallOptions = {},
  authorization?: object,
): Promise<Answer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await send(withoutSlash(url) + path, {
    method,
    headers: {
      ...headers,
      ...authorization,
      'content-type': 'application/json',
    },
    body,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
  const text = await response.text();
  if (!response.ok) throw new RequestFailed(response, text);
  return (text && JSON.parse(text)) as Answer; // The types are the API's; empty answers are not read.
}

export const withoutSlash = (text: string): string => text.replace(/\/+$/, '');
