import { ChannelsApiError } from 'rookery/channels';

// Refusals in the form of the Channels HTTP API: a status and a sentence.

export const badRequest = (text: string): ChannelsApiError => new ChannelsApiError('bad_request', 400, text);
export const missing = (parameter: string): ChannelsApiError => badRequest(`Missing required parameter: ${parameter}`);
export const notificationNotFound = (): ChannelsApiError =>
  new ChannelsApiError('notification_not_found', 404, 'Notification not found');
export const notFound = (): ChannelsApiError => new ChannelsApiError('not_found', 404, 'Not found');
export const notNotifying = (): ChannelsApiError =>
  new ChannelsApiError('not_notifying', 404, 'Notifications are not configured for this app');
export const notByGet = (): ChannelsApiError =>
  new ChannelsApiError('method_not_allowed', 405, 'Use POST to mark it as read, or DELETE', {
    allow: 'POST, DELETE',
  });
export const invalidLink = (): ChannelsApiError =>
  new ChannelsApiError('invalid_link', 401, 'The link is not valid any more');
