import type { AskedData, ReplyData, RequestDefinitions } from '@rookery/client/events';
import { request } from './request.mjs';
import type { AskingChannel, AskingClient, RequestOptions } from './requests.mjs';

/** {@link request}, for requests that `defineRequests` defined. */
export type TypedRequest<Requests extends RequestDefinitions> = <Name extends keyof Requests & string>(
  place: AskingChannel | AskingClient,
  name: Name,
  data: AskedData<Requests[Name]>,
  options?: RequestOptions,
) => Promise<ReplyData<Requests[Name]>>;

/**
 * Types the names, data and replies of requests: `const request = typedRequest<typeof requests>()`. It needs only the type
 * of what `defineRequests` of `@rookery/client/events` returned, and returns `request` itself.
 */
export const typedRequest = <Requests extends RequestDefinitions>(): TypedRequest<Requests> => request;
