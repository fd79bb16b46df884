import { ChannelsApiError } from '../../channels.errors.js';

export const receiptsNotFound = (): ChannelsApiError =>
  new ChannelsApiError('receipts_not_found', 404, 'There is no such receipt, or it is no longer kept');
