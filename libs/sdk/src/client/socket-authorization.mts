interface EmptyToken {
  auth: string;
  user_data: string;
}

/**
 * Skips the endpoint, for a server that authorizes on the socket itself: pass it to pusher-js as `channelAuthorization`
 * and as `userAuthentication`. Not for encrypted channels, whose secret comes from an endpoint.
 */
export const socketAuthorization = {
  customHandler: (_request: unknown, callback: (error: null, token: EmptyToken) => void): void =>
    callback(null, { auth: '', user_data: '' }),
};
