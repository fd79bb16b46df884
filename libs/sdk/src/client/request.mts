import { type AskingChannel, type AskingClient, type RequestOptions, Requests } from './requests.mjs';

const all = new WeakMap<AskingClient, Requests>();

/**
 * Asks the server, on a channel or, of the client itself, without one: `await request(channel, 'move', { field: 4 })`. A
 * method of the application with `@OnRequest()` answers. Asked before the page is connected, it waits.
 *
 * If the connection is lost before the reply, it is asked again on the next one. With a session, it is carried out once;
 * without, it fails as `unknown`. In every case the promise settles.
 *
 * @throws RequestFailed; the reason of the signal
 */
export function request<Reply = unknown>(
  place: AskingChannel | AskingClient,
  name: string,
  data?: unknown,
  { timeoutMs = 10_000, signal }: RequestOptions = {},
): Promise<Reply> {
  const client = 'pusher' in place ? place.pusher : place;
  let requests = all.get(client);
  if (!requests) all.set(client, (requests = new Requests(client)));
  const channel = 'pusher' in place ? place : undefined;
  // What the server's method returns is for the page to know.
  return requests.ask({ channel, name, data, timeoutMs, signal }) as Promise<Reply>;
}
