import type { ChannelRequest, ChannelToken } from '../batched-authorization.mjs';
import type { SharedOptions } from './messages.mjs';

/** How a tab gets tokens: from an endpoint, or by a handler of its own, which runs in the tab. */
type TabAuthorization<Request, Token> =
  | {
      readonly transport: 'ajax' | 'jsonp';
      readonly endpoint: string;
      readonly params?: object;
      readonly headers?: object;
    }
  | {
      readonly customHandler: (request: Request, callback: (error: Error | null, token: Token | null) => void) => void;
    };

type Transport = 'ws' | 'wss' | 'xhr_streaming' | 'xhr_polling' | 'sockjs';

/** The options of pusher-js, without those that tabs cannot share: functions (`authorizer`) and `nacl`. */
export interface TabOptions {
  readonly activityTimeout?: number;
  readonly auth?: { readonly params?: object; readonly headers?: object };
  readonly authEndpoint?: string;
  readonly authTransport?: 'ajax' | 'jsonp';
  readonly channelAuthorization?: TabAuthorization<ChannelRequest, ChannelToken>;
  readonly userAuthentication?: TabAuthorization<
    { readonly socketId: string },
    { readonly auth: string; readonly user_data: string }
  >;
  readonly cluster?: string;
  readonly disabledTransports?: readonly Transport[];
  readonly enabledTransports?: readonly Transport[];
  readonly enableStats?: boolean;
  readonly disableStats?: boolean;
  readonly forceTLS?: boolean;
  readonly httpHost?: string;
  readonly httpPath?: string;
  readonly httpPort?: number;
  readonly httpsPort?: number;
  readonly ignoreNullOrigin?: boolean;
  readonly pongTimeout?: number;
  readonly statsHost?: string;
  readonly timelineParams?: object;
  readonly unavailableTimeout?: number;
  readonly wsHost?: string;
  readonly wsPath?: string;
  readonly wsPort?: number;
  readonly wssPort?: number;
}

/** Asks for a token as pusher-js does. */
export type Handler = (
  request: { readonly socketId: string; readonly channelName?: string },
  callback: (error: Error | null, token: unknown) => void,
) => void;

export const handlerOf = (authorization: object | undefined): Handler | undefined =>
  // Callers get the token that pusher-js asks for.
  authorization && 'customHandler' in authorization ? (authorization.customHandler as Handler) : undefined;

/**
 * The options without a `customHandler`, which stays in the tab.
 * @throws TypeError for other functions, and for a session
 */
export function sharedOptions(options: TabOptions): SharedOptions {
  if (/\/session\//.test(options.wsPath ?? ''))
    throw new TypeError(
      `sharedPusher names the session itself. Write wsPath: '${options.wsPath!.split('/session/')[0]}'`,
    );
  const { channelAuthorization, userAuthentication, ...others } = options;
  const [asksChannels, asksUser] = [channelAuthorization, userAuthentication].map((each) => Boolean(handlerOf(each)));
  const shared = {
    ...others,
    ...(channelAuthorization && !asksChannels && { channelAuthorization }),
    ...(userAuthentication && !asksUser && { userAuthentication }),
  };
  for (const [path, value] of entriesOf(shared))
    if (typeof value === 'function')
      throw new TypeError(
        `sharedPusher: ${path} is a function, which tabs cannot share. Write channelAuthorization: batchedAuthorization({ … }), or a customHandler`,
      );
  return { ...shared, asksChannels: asksChannels!, asksUser: asksUser! };
}

/** The options with their paths, one level deep: `channelAuthorization.headersProvider`. */
const entriesOf = (options: object): (readonly [string, unknown])[] =>
  Object.entries(options).flatMap(([name, value]) => [
    [name, value] as const,
    ...Object.entries((value as object | null) ?? {}).map(([inner, each]) => [`${name}.${inner}`, each] as const),
  ]);
