export {
  type BeamsClient,
  beamsClient,
  type BeamsOptions,
  type Published,
  type InterestsPublishRequest,
  type PublishRequest,
} from './beams-client.mjs';
export {
  type BatchEvent,
  type ChannelCounts,
  type ChannelList,
  type ChannelMember,
  type ChannelsClient,
  channelsClient,
  type ChannelsOptions,
  type ChannelStatus,
  type ChannelToken,
  type CountAttribute,
  type HistoryPage,
  type NotificationContent,
  type Query,
  type SignedInUser,
  type TriggerOptions,
  type UserList,
  type Webhook,
  type WebhookRequest,
} from './channels-client.mjs';
export { type CallOptions, RequestFailed, type ServerOptions } from './requests.mjs';
