export { answer, type AnsweringClient } from './answer.mjs';
export {
  batchedAuthorization,
  type BatchedAuthorizationOptions,
  type ChannelAuthorization,
  type ChannelRequest,
  type ChannelToken,
} from './batched-authorization.mjs';
export { channelKind } from './channel-kind.mjs';
export { newSessionId } from './new-session-id.mjs';
export { request } from './request.mjs';
export { typedRequest, type TypedRequest } from './typed-request.mjs';
export { RequestFailed } from './request-failed.mjs';
export type { AskingChannel, AskingClient, RequestOptions } from './requests.mjs';
export { seen, type SeeingChannel } from './seen.mjs';
export { socketAuthorization } from './socket-authorization.mjs';
export { type LiveState, state, type StateChanges, type StatefulChannel } from './state.mjs';
export { type ConnectedClient, withoutDoubles } from './without-doubles.mjs';
export {
  type PusherClass,
  type SharedChannel,
  type SharedMember,
  type SharedMembers,
  sharedPusher,
  type SharedPresenceChannel,
  type SharedPusher,
  serveTabs,
  type TabOptions,
  type TabsOptions,
  type TabWorker,
} from './tabs/index.mjs';
export { streamed, type StreamedText, type StreamingChannel } from './streamed.mjs';
export { type SubscribingClient, typed, type TypedChannel, type TypedPusher } from './typed.mjs';
