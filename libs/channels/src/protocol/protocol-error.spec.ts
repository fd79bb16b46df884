import { describe, expect, it } from 'vitest';
import { ProtocolError } from './protocol-error.js';

describe('an error that closes the connection', () => {
  // The codes tell clients whether and when to reconnect (channels-wire §1.5).
  it.each([
    [4000, 'SSL', () => ProtocolError.tlsOnly()],
    [
      4001,
      'App key k1 not in this cluster. Did you forget to specify the cluster?',
      () => ProtocolError.unknownKey('k1'),
    ],
    [4001, 'removed', () => ProtocolError.removedApp()],
    [4003, 'disabled', () => ProtocolError.disabledApp()],
    [4004, 'over connection quota', () => ProtocolError.overQuota()],
    [4005, 'Path not found', () => ProtocolError.pathNotFound()],
    [4005, 'Invalid session', () => ProtocolError.invalidSession()],
    [4006, 'version string', () => ProtocolError.badVersion()],
    [4007, 'Unsupported protocol', () => ProtocolError.unsupportedProtocol()],
    [4008, 'No protocol', () => ProtocolError.missingProtocol()],
    [4009, 'Origin', () => ProtocolError.originNotAllowed()],
    [4009, 'Connection not authorized within timeout', () => ProtocolError.notAuthorizedInTime()],
    [4009, 'terminated', () => ProtocolError.terminated()],
    [4100, 'not read fast enough', () => ProtocolError.tooSlow()],
    [4100, 'too many refused messages', () => ProtocolError.tooManyRefusals()],
    [4100, 'too many connections', () => ProtocolError.tooManyConnections()],
    [4100, 'too many new sessions', () => ProtocolError.tooManySessions()],
    [4100, 'over capacity', () => ProtocolError.overCapacity()],
    [4100, 'reconnect in a second', () => ProtocolError.restarting()],
    [4200, 'please reconnect', () => ProtocolError.shuttingDown()],
    [4200, 'asks to reconnect', () => ProtocolError.reconnect()],
    [4201, 'Pong reply not received', () => ProtocolError.noPong()],
  ])('has the code %i and the reason “%s”', (code, reason, error) => {
    expect(error()).toMatchObject({ code, message: expect.stringContaining(reason) });
  });

  it.each([
    [4000, 7, true],
    [4099, 7, true],
    [4100, 7, false],
    [4100, 6, false],
    [4100, 5, true],
    [4201, 5, true],
    [3999, 5, false],
    [null, 5, false],
  ])('with the code %s is sent before the close to protocol %i: %s', (code, protocol, isSent) => {
    expect(ProtocolError.refused('No', code, 400).isSentBeforeClose(protocol)).toBe(isSent);
  });
});

describe('an error about a message', () => {
  const auth = { type: 'AuthError', status: 401 };
  const forbidden = { type: 'AuthError', status: 403 };
  const limited = { type: 'LimitReached', status: 4100 };
  const rate = { code: 4301, type: 'LimitReached', status: 4301 };
  const plain = { type: 'Error', status: 400, channel: undefined };

  // Users and SDKs compare the texts of the hosted service (channels-wire §3.3, §4).
  it.each([
    ['Invalid message: not JSON', () => ProtocolError.malformed('not JSON'), plain],
    ['Invalid message: not JSON', () => ProtocolError.malformed('not JSON', 'a'), { ...plain, channel: 'a' }],
    ["Unknown event 'x'", () => ProtocolError.unknownEvent('x'), plain],
    [
      'Invalid signature: Expected HMAC SHA256 hex digest of 1.2:private-a, but got ff',
      () => ProtocolError.invalidSignature('1.2:private-a', 'ff'),
      auth,
    ],
    ["Invalid key in subscription auth data: 'k'", () => ProtocolError.invalidKey('k'), auth],
    ['Not you', () => ProtocolError.unauthorized('Not you'), auth],
    ['Access to channel a was taken back', () => ProtocolError.revoked('a'), forbidden],
    ['Invalid channel name', () => ProtocolError.invalidChannel(), plain],
    ['No member', () => ProtocolError.invalidMember('No member'), plain],
    ['user_id contains NUL or half a surrogate pair', () => ProtocolError.unstorable('user_id'), plain],
    ['Presence channel a is full (3 members)', () => ProtocolError.channelFull('a', 3), limited],
    ['A connection may be on at most 3 channels', () => ProtocolError.tooManySubscriptions(3), limited],
    ['Existing subscription to channel a', () => ProtocolError.alreadySubscribed('a'), plain],
    [
      'No current subscription to channel a, or subscription in progress',
      () => ProtocolError.notSubscribed('a'),
      plain,
    ],
    [
      'To send client events, you must enable this feature in the Settings page of your dashboard.',
      () => ProtocolError.clientEventsDisabled(),
      plain,
    ],
    [
      'Cannot broadcast client event (connection not subscribed to channel a)',
      () => ProtocolError.clientEventNotSubscribed('a'),
      plain,
    ],
    [
      'Client event rejected - only supported on private and presence channels',
      () => ProtocolError.clientEventNeedsPrivate(),
      plain,
    ],
    ['Invalid client event (must contain channel and data)', () => ProtocolError.invalidClientEvent(), plain],
    ['Client event rejected - not authorized', () => ProtocolError.clientEventRefused(), forbidden],
    [
      'Client event rejected - data exceeds the allowed maximum (9 bytes)',
      () => ProtocolError.clientEventTooLarge(9),
      plain,
    ],
    [
      'Client event rate limit exceeded: at most 9 per second',
      () => ProtocolError.clientEventRate(9),
      { ...plain, code: 4301 },
    ],
    ['Subscribe rate limit exceeded: at most 9 per second', () => ProtocolError.subscribeRate(9), rate],
    ['New channel rate limit exceeded: at most 9 per minute', () => ProtocolError.newChannelRate(9), rate],
    ['Too many refused messages: at most 9 per second', () => ProtocolError.refusalRate(9), rate],
    [
      'Watchlist limit exceeded: only the first 9 users are watched',
      () => ProtocolError.watchlistTooLong(9),
      { ...plain, code: 4302 },
    ],
    ['No', () => ProtocolError.refused('No', null, 401), auth],
    ['No', () => ProtocolError.refused('No', null, 403), forbidden],
    ['No', () => ProtocolError.refused('No', 4301, 429), { ...plain, code: 4301, status: 429 }],
  ])('says “%s”, with a type and a status', (message, error, expected) => {
    expect(error()).toMatchObject({ code: null, message, ...expected });
  });

  it('shows at most 100 characters of an unknown event', () => {
    expect(ProtocolError.unknownEvent('x'.repeat(101)).message).toBe(`Unknown event '${'x'.repeat(100)}'`);
  });

  it('has no stack, and leaves those of other errors alone', () => {
    expect(ProtocolError.invalidChannel().stack).not.toContain('\n');
    expect(new Error('another').stack).toContain('protocol-error.spec');
  });
});
