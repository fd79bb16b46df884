/**
 * The error in a `pusher:error` frame; with a `close` code, the connection is closed with it (channels-wire §1.5). It has
 * no stack: it answers a client, as often as the client likes, and a stack costs eight times as much as the rest of it.
 */
export class ProtocolError extends Error {
  private constructor(
    /** The code in the error frame: a number, or null as the service sends it for subscriptions (§3.3). */
    readonly code: number | null,
    message: string,
    /** The `type` and `status` of the `pusher:subscription_error` that goes with a failed subscribe (§10.2). */
    readonly type: string = 'Error',
    readonly status: number = 400,
    /** The channel of a subscribe whose other fields cannot be read. */
    readonly channel?: string,
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }

  /**
   * Whether a frame precedes the close. Swift, Flutter, React Native and Go report errors only from that frame, and
   * clients before protocol 6 understand nothing else. From protocol 6 on, a restart is not an error to report (§1.5).
   */
  isSentBeforeClose(protocol: number): boolean {
    const { code } = this;
    return code !== null && code >= 4000 && (code < 4100 || protocol < 6);
  }

  // For a whole connection: the upgrade is accepted, then closed with these.
  static tlsOnly(): ProtocolError {
    return new ProtocolError(4000, 'Application only accepts SSL connections, reconnect using wss://');
  }
  static unknownKey(key: string): ProtocolError {
    return new ProtocolError(4001, `App key ${key} not in this cluster. Did you forget to specify the cluster?`);
  }
  static removedApp = (): ProtocolError => new ProtocolError(4001, 'Application was removed');
  static disabledApp = (): ProtocolError => new ProtocolError(4003, 'Application is disabled');
  static overQuota = (): ProtocolError => new ProtocolError(4004, 'Application is over connection quota');
  static pathNotFound = (): ProtocolError => new ProtocolError(4005, 'Path not found');
  static invalidSession = (): ProtocolError =>
    new ProtocolError(4005, 'Invalid session: 16 to 64 letters, digits, - and _ are expected');
  static badVersion = (): ProtocolError => new ProtocolError(4006, 'Invalid version string format');
  static unsupportedProtocol = (): ProtocolError => new ProtocolError(4007, 'Unsupported protocol version');
  static missingProtocol = (): ProtocolError => new ProtocolError(4008, 'No protocol version supplied');
  static originNotAllowed = (): ProtocolError => new ProtocolError(4009, 'Origin not allowed');
  static notAuthorizedInTime = (): ProtocolError => new ProtocolError(4009, 'Connection not authorized within timeout');
  static terminated = (): ProtocolError => new ProtocolError(4009, 'Connection terminated by the application');
  static tooSlow = (): ProtocolError => new ProtocolError(4100, 'Over capacity: messages are not read fast enough');
  static tooManyRefusals = (): ProtocolError => new ProtocolError(4100, 'Over capacity: too many refused messages');
  static unfinishedInput = (): ProtocolError =>
    new ProtocolError(4100, 'Over capacity: a message is not sent fast enough');
  static tooManyHeartbeats = (): ProtocolError => new ProtocolError(4100, 'Over capacity: too many pings');
  static tooManyConnections = (): ProtocolError =>
    new ProtocolError(4100, 'Over capacity: too many connections from this address');
  static tooManyNewConnections = (): ProtocolError =>
    new ProtocolError(4100, 'Over capacity: too many new connections from this address');
  static tooManySessions = (): ProtocolError =>
    new ProtocolError(4100, 'Over capacity: too many new sessions from this address');
  static overCapacity = (): ProtocolError => new ProtocolError(4100, 'Server is over capacity');
  /** Other processes can take the client: it reconnects at once. */
  static shuttingDown = (): ProtocolError => new ProtocolError(4200, 'Server is restarting: please reconnect');
  /** No other process can: it reconnects after a second. */
  static restarting = (): ProtocolError =>
    new ProtocolError(4100, 'Server is restarting: please reconnect in a second');
  static reconnect = (): ProtocolError => new ProtocolError(4200, 'The application asks to reconnect');
  static noPong = (): ProtocolError => new ProtocolError(4201, 'Pong reply not received');

  // For single messages: the connection stays open.
  static malformed = (what: string, channel?: string): ProtocolError =>
    new ProtocolError(null, `Invalid message: ${what}`, 'Error', 400, channel);
  static unknownEvent = (event: string): ProtocolError =>
    new ProtocolError(null, `Unknown event '${event.slice(0, 100)}'`);

  static invalidSignature(signed: string, given: string): ProtocolError {
    const text = `Invalid signature: Expected HMAC SHA256 hex digest of ${signed}, but got ${given}`;
    return new ProtocolError(null, text, 'AuthError', 401);
  }
  static invalidKey(key: string): ProtocolError {
    return new ProtocolError(null, `Invalid key in subscription auth data: '${key}'`, 'AuthError', 401);
  }
  static unauthorized = (message: string): ProtocolError => new ProtocolError(null, message, 'AuthError', 401);
  static revoked = (channel: string): ProtocolError =>
    new ProtocolError(null, `Access to channel ${channel} was taken back`, 'AuthError', 403);
  static invalidChannel = (): ProtocolError => new ProtocolError(null, 'Invalid channel name');
  static invalidMember = (message: string): ProtocolError => new ProtocolError(null, message);
  static unstorable = (field: string): ProtocolError =>
    new ProtocolError(null, `${field} contains NUL or half a surrogate pair`);
  static channelFull = (channel: string, limit: number): ProtocolError =>
    new ProtocolError(null, `Presence channel ${channel} is full (${limit} members)`, 'LimitReached', 4100);
  static tooManySubscriptions = (limit: number): ProtocolError =>
    new ProtocolError(null, `A connection may be on at most ${limit} channels`, 'LimitReached', 4100);
  static tooManySubscriptionsOfAddress = (limit: number): ProtocolError =>
    new ProtocolError(null, `The connections of an address may have at most ${limit} subscriptions`);
  static alreadySubscribed(channel: string): ProtocolError {
    return new ProtocolError(null, `Existing subscription to channel ${channel}`);
  }
  static notSubscribed(channel: string): ProtocolError {
    return new ProtocolError(null, `No current subscription to channel ${channel}, or subscription in progress`);
  }

  static clientEventsDisabled(): ProtocolError {
    const text = 'To send client events, you must enable this feature in the Settings page of your dashboard.';
    return new ProtocolError(null, text);
  }
  static clientEventNotSubscribed(channel: string): ProtocolError {
    return new ProtocolError(null, `Cannot broadcast client event (connection not subscribed to channel ${channel})`);
  }
  static clientEventNeedsPrivate(): ProtocolError {
    return new ProtocolError(null, 'Client event rejected - only supported on private and presence channels');
  }
  static invalidClientEvent(): ProtocolError {
    return new ProtocolError(null, 'Invalid client event (must contain channel and data)');
  }
  static clientEventRefused = (): ProtocolError =>
    new ProtocolError(null, 'Client event rejected - not authorized', 'AuthError', 403);
  static clientEventTooLarge = (limit: number): ProtocolError =>
    new ProtocolError(null, `Client event rejected - data exceeds the allowed maximum (${limit} bytes)`);
  static clientEventRate = (perSecond: number): ProtocolError =>
    new ProtocolError(4301, `Client event rate limit exceeded: at most ${perSecond} per second`);
  static clientEventBytes = (perSecond: number): ProtocolError =>
    new ProtocolError(4301, `Client event rate limit exceeded: at most ${perSecond} bytes per second`);
  static tooMuchKept = (): ProtocolError => new ProtocolError(4301, 'Too much is kept for the app');
  static subscribeRate = (perSecond: number): ProtocolError =>
    new ProtocolError(4301, `Subscribe rate limit exceeded: at most ${perSecond} per second`, 'LimitReached', 4301);
  static newChannelRate = (perMinute: number): ProtocolError =>
    new ProtocolError(4301, `New channel rate limit exceeded: at most ${perMinute} per minute`, 'LimitReached', 4301);
  static refusalRate = (perSecond: number): ProtocolError =>
    new ProtocolError(4301, `Too many refused messages: at most ${perSecond} per second`, 'LimitReached', 4301);
  static watchlistTooLong = (limit: number): ProtocolError =>
    new ProtocolError(4302, `Watchlist limit exceeded: only the first ${limit} users are watched`);

  /** An error that a guard, pipe or interceptor of the host threw. */
  static refused = (message: string, code: number | null, status: number): ProtocolError =>
    new ProtocolError(code, message, status === 401 || status === 403 ? 'AuthError' : 'Error', status);
}
