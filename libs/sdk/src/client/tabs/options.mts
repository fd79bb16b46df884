import type { SharedOptions } from './messages.mjs';

/** The part of pusher-js's options in use. */
export interface TabOptions {
  readonly wsPath?: string;
  readonly channelAuthorization?: object;
  readonly userAuthentication?: object;
}

/** Asks for a token as pusher-js does. */
export type Handler = (
  request: { readonly socketId: string; readonly channelName?: string },
  callback: (error: Error | null, token: unknown) => void,
) => void;

export const handlerOf = (authorization: { readonly customHandler?: Handler } | undefined): Handler | undefined =>
  authorization?.customHandler;

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
