/** Where a server is, and how it is asked. */
export interface ServerOptions {
  /** Of the server, such as `https://push.example.com`; with what stands before its paths, if anything does. */
  readonly url: string;
  /** How long an answer may take, in milliseconds. @default 10000 */
  readonly timeoutMs?: number;
  /** What asks in place of the global `fetch`, such as a binding of a service. */
  readonly fetch?: (url: string, request: RequestInit) => Promise<Response>;
}

/** How one call is made. */
export interface CallOptions {
  /** Ends the call before its time. */
  readonly signal?: AbortSignal;
  /** Sent along, such as `idempotency-key` for a trigger or a publish that may be repeated. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The server refused. */
export class RequestFailed extends Error {
  declare readonly status: number;
  /** What it said: a line of text for Channels, JSON for Beams. */
  declare readonly body: string;
  /** Of the answer; `retry-after` for one. */
  declare readonly headers: Headers;

  constructor({ status, headers }: Response, body: string) {
    super(`${status} ${body}`);
    Object.assign(this, { name: 'RequestFailed', status, body, headers });
  }
}

/**
 * Makes a call.
 * @returns what was answered
 * @throws RequestFailed where it was refused; where there is no answer, what `fetch` throws: a TypeError, or a
 * DOMException that is called `TimeoutError`
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
  return (text && JSON.parse(text)) as Answer; // The types are the API's; nobody reads the answer that is empty.
}

export const withoutSlash = (text: string): string => text.replace(/\/+$/, '');
