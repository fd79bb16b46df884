interface EmptyToken {
  auth: string;
  user_data: string;
}

/**
 * Asks no endpoint, for a server that authorizes on the socket itself: as `channelAuthorization` and as
 * `userAuthentication` of pusher-js. Not for encrypted channels, whose secret comes from an endpoint.
 */
export const socketAuthorization = {
  customHandler: (_request: unknown, callback: (error: null, token: EmptyToken) => void): void =>
    callback(null, { auth: '', user_data: '' }),
};
