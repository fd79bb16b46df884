/** pusher-js's request for a private or presence channel. */
export interface ChannelRequest {
  readonly socketId: string;
  readonly channelName: string;
}

/** What pusher-js needs to subscribe. */
export interface ChannelToken {
  auth: string;
  channel_data?: string;
  shared_secret?: string;
}

/** The type of pusher-js's `channelAuthorization`. */
export interface ChannelAuthorization {
  readonly customHandler: (
    request: ChannelRequest,
    callback: (error: Error | null, token: ChannelToken | null) => void,
  ) => void;
}

/** Texts, or a function that creates them for each call. */
type Texts = Readonly<Record<string, string>> | (() => Texts | Promise<Texts>);

export interface BatchedAuthorizationOptions {
  /** The URL of the endpoint. @default '/pusher/auth' */
  readonly endpoint?: string;
  /** Additional parameters, such as `app_key`. @default none */
  readonly params?: Texts;
  /** @default none */
  readonly headers?: Texts;
  /** Whether cookies are sent, as for `fetch`. @default 'same-origin' */
  readonly credentials?: 'include' | 'omit' | 'same-origin';
  /** How many channels one call requests; more take several calls. @default 100 */
  readonly channelsPerCall?: number;
  /** How often a call is tried while the answer is 503 or missing, before the channels fail. @default 10 */
  readonly tries?: number;
}

interface Waiting {
  readonly name: string;
  readonly callback: Parameters<ChannelAuthorization['customHandler']>[1];
}

type Answers = Readonly<
  Record<string, { readonly data?: ChannelToken; readonly status?: number; readonly error?: string }>
>;

/**
 * Requests all channels of a tick in one call, and retries when the server is busy:
 * `new Pusher(key, { channelAuthorization: batchedAuthorization() })`.
 */
export function batchedAuthorization(options: BatchedAuthorizationOptions = {}): ChannelAuthorization {
  const { channelsPerCall = 100 } = options;
  const bySocket = new Map<string, Waiting[]>();

  const ask = (socketId: string): void => {
    const all = bySocket.get(socketId) ?? [];
    bySocket.delete(socketId);
    for (let at = 0; at < all.length; at += channelsPerCall)
      void settle(socketId, all.slice(at, at + channelsPerCall), options);
  };

  return {
    customHandler: ({ socketId, channelName: name }, callback) => {
      const waiting = bySocket.get(socketId) ?? [];
      if (waiting.push({ name, callback }) > 1) return;
      bySocket.set(socketId, waiting);
      setTimeout(ask, 0, socketId);
    },
  };
}

async function settle(socketId: string, waiting: readonly Waiting[], options: BatchedAuthorizationOptions) {
  let answers: Answers = {};
  let failure = 'no answer';
  try {
    answers = await answered(socketId, waiting, options);
  } catch (error) {
    failure = String(error);
  }
  for (const { name, callback } of waiting) {
    const { data, status, error = failure } = answers[name] ?? {};
    const refusal = data ? null : Object.assign(new Error(`${name}: ${error}`), { status });
    // A callback that throws must not keep the others from their answer.
    queueMicrotask(() => callback(refusal, data ?? null));
  }
}

async function answered(
  socketId: string,
  waiting: readonly Waiting[],
  { endpoint = '/pusher/auth', params, headers, credentials = 'same-origin', tries = 10 }: BatchedAuthorizationOptions,
): Promise<Answers> {
  for (let left = tries; ; left--) {
    const body = new URLSearchParams({ ...(await textsOf(params)), socket_id: socketId });
    for (const { name } of waiting) body.append('channel_name[]', name);
    const request = { method: 'POST', body, headers: await textsOf(headers), credentials };
    const response = await fetch(endpoint, request).catch((error: unknown) => {
      if (left <= 1) throw error;
    });
    if (response?.ok) return (await response.json()) as Answers;
    if (response && (response.status !== 503 || left <= 1))
      throw new Error(`${endpoint} answered ${response.status} ${await response.text()}`);
    // Randomized, so that clients do not retry all at once.
    const seconds = Number(response?.headers.get('retry-after')) || 1;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000 * (1 + Math.random())));
  }
}

const textsOf = async (texts: Texts = {}): Promise<Record<string, string>> =>
  typeof texts === 'function' ? textsOf(await texts()) : texts;
