import { StatusError } from '#http';
import { jsonText } from './protocol/json-text.js';

/** A refusal of the Channels HTTP API: a status and a sentence, sent as plain text (channels-wire §6.1). */
export class ChannelsApiError extends StatusError {
  protected get body(): string {
    return this.message;
  }
}

export const badRequest = (text: string, code = 'bad_request'): ChannelsApiError =>
  new ChannelsApiError(code, 400, text);
export const missing = (parameter: string): ChannelsApiError => badRequest(`Missing required parameter: ${parameter}`);
export const unauthorized = (text: string): ChannelsApiError => new ChannelsApiError('unauthorized', 401, text);
export const tooManyParameters = (limit: number): ChannelsApiError =>
  badRequest(`Too many parameters in the query: at most ${limit} are allowed`);
export const disabled = (): ChannelsApiError => new ChannelsApiError('app_disabled', 403, 'Application is disabled');

export const localOnly = (appId: string): ChannelsApiError =>
  new ChannelsApiError(
    'app_local_only',
    403,
    `The app ${appId} is for this machine alone, because its secret is public: ` +
      'ask by http://localhost or an address, from a page of this machine, or configure an app of your own',
  );

/** The shutdown has taken the clients of this process off their channels. */
export const shuttingDown = (): ChannelsApiError =>
  new ChannelsApiError('shutting_down', 503, 'Server is restarting: try again', { 'Retry-After': '1' });

export const dataTooLarge = (limit: number): ChannelsApiError =>
  new ChannelsApiError(
    'data_too_large',
    413,
    `The data content of this event exceeds the allowed maximum (${limit} bytes). ` +
      'See https://pusher.com/docs/channels/server_api/http-api#publishing-events for more info',
  );

export const bodyTooLarge = (limit: number): ChannelsApiError =>
  new ChannelsApiError('body_too_large', 413, `The request body exceeds the allowed maximum (${limit} bytes)`);

export const tooManyTriggers = (perSecond: number): ChannelsApiError =>
  new ChannelsApiError('too_many_triggers', 429, `Too many events: at most ${perSecond} may be triggered in a second`, {
    'Retry-After': '1',
  });

export const tooMuchKept = (): ChannelsApiError =>
  new ChannelsApiError(
    'too_much_kept',
    429,
    'Too much is kept for the app: the last events of cache channels, histories, or answers to an Idempotency-Key',
    { 'Retry-After': '10' },
  );

export const differentRequest = (): ChannelsApiError =>
  new ChannelsApiError(
    'idempotency_key_reused',
    422,
    'Idempotency-Key was used for a different request in the last 24 hours',
  );

export const notJsonObject = (): ChannelsApiError => badRequest('The request body is not a JSON object');

export const notUtf8 = (): ChannelsApiError => badRequest('The request body is not UTF-8');

export const invalidInfo = (allowed: readonly string[]): ChannelsApiError =>
  badRequest(`info should be a comma separated list of attributes out of ${allowed.join(', ')}`);

export const invalidChannel = (name: unknown): ChannelsApiError =>
  badRequest(`Invalid channel name: ${quoted(name)}`, 'invalid_channel');

export const invalidUserId = (id: unknown): ChannelsApiError => badRequest(`Invalid user id: ${quoted(id)}`);

export const userCountNeedsPresence = (): ChannelsApiError =>
  badRequest('Cannot retrieve the user count unless the channel is a presence channel');

export const noHistory = (name: unknown): ChannelsApiError =>
  badRequest(`No history is kept of ${quoted(name)}`, 'no_history');

export const noStreams = (channel: string, name: string): ChannelsApiError =>
  badRequest(
    `${quoted(channel)} carries no streams of ${quoted(name)}: ` +
      "the app needs history: [{ channels: '…', streams: true }], the channel may be neither encrypted nor a user's, " +
      'and the name may not begin with client-',
    'no_streams',
  );

// Sic: suites compare this spelling.
export const userCountNeedsPrefix = (): ChannelsApiError =>
  badRequest(
    'user_count may only be requested for presence channels - please supply filter_by_prefix begining with presence-',
  );

export const usersNeedPresence = (): ChannelsApiError =>
  badRequest('Users can only be retrieved for presence channels');

export const removalNeedsAuthorization = (): ChannelsApiError =>
  badRequest('Users can only be removed from private and presence channels');

export const userInfoNeedsPresence = (): ChannelsApiError =>
  badRequest('Only members of presence channels have a user_info');

export const memberNotFound = (userId: string, channel: string): ChannelsApiError =>
  new ChannelsApiError('member_not_found', 404, `${quoted(userId)} is not on ${quoted(channel)}`);

export const userInfoTooLarge = (limit: number): ChannelsApiError =>
  new ChannelsApiError('user_info_too_large', 413, `user_info is larger than ${limit} bytes`);

/** A value from outside, quoted and shortened so that it is safe in a text. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : (jsonText(value) ?? typeof value);
  return `'${text.length > 60 ? `${text.slice(0, 60)}…` : text}'`;
}

export const webhookNotFound = (): ChannelsApiError =>
  new ChannelsApiError('webhook_not_found', 404, 'Webhook not found');

export const notFound = (): ChannelsApiError => new ChannelsApiError('not_found', 404, 'Not found');
