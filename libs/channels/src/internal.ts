// Internal: what other packages and libs of this repository need besides the index. It promises nothing to applications.
export * from './index.js';
// Modules with routes and signatures of their own
export { ChannelPattern } from '#events';
export { administeredApp, type AdministeredApp } from './access/administered-app.js';
export * as describedChannels from './access/signed-operation.js';
export { TextBody } from './access/signed-request.guard.js';
export { type Authenticated, SignedRequests } from './access/signed-request.js';
export { textRefusal } from './access/text-refusal.js';
export { historyOf } from './app/history-rule.js';
export * from './events/handled-events.js';
export { pageLimitIn } from './events/history.service.js';
export { RepeatedTriggers } from './events/repeated-triggers.js';
export { IdempotencyKey } from './http/idempotency-key.js';
export { channelsModule } from './lifecycle/decorators.js';
// Parameters of a host's methods
export { checkedData } from './wings/typed-events/checked-data.js';
export type { DataDefinition } from '#events';
// The protocol
export { accessOf, isCacheChannel, isEncryptedChannel, parseChannelName } from './protocol/channel-name.js';
export { type KeyPair, secretOf, validSecretsOf } from './protocol/credentials.js';
export { ProtocolError } from './protocol/protocol-error.js';
export { withRookeryField } from './protocol/rookery-field.js';
export { isSocketId } from './protocol/socket-id.js';
export { signinText, subscriptionText, tokenFor } from './protocol/subscription-token.js';
export { isUserId } from './protocol/user-id.js';
// Brokers
export { headOf, messageOf, parseMessage, positionOf } from './broker/message-text.js';
// The console
export { NodeRpc, type NodeAnswers, type NodeSubject, nodeSubject } from './broker/node-rpc.js';
export {
  ActivityTap,
  type Observed,
  type ObservedEvent,
  type ObservedRefusal,
  type Observer,
} from './lifecycle/activity-tap.js';
export { type ObservedKind, observedKinds } from './lifecycle/observed-kinds.js';
export {
  type ConnectionsPage,
  type ConnectionsQuery,
  OpenConnections,
  type ShownConnection,
  type ShownConnectionInFull,
} from './sockets/open-connections.js';
export { WebhookTestService } from './webhooks/webhook-test.service.js';
// What waits for a turn
export { onceClosed } from './connections/once-closed.js';
// Leases
export { AboutNodes } from './nodes/about-nodes.js';
export { type LeaseRenewal, LeaseStore, type NodeDescription } from './nodes/lease.store.js';
export { NodeLease } from './nodes/node-lease.js';
// The server
export { ClientAddresses } from './access/client-addresses.js';
export { exactBatch, exactEvent } from './events/exact-event.js';
export { leftBehindBy, previousProcess } from './nodes/left-behind.js';
export { oldestAgeMs } from './storage/session-age.js';
export { NoAnnouncements } from './webhooks/announcement.repository.js';
// What simulated processes share
export { wingPorts as channelsWingPorts } from './wings/wings.js';
// What `@rookery/testing` connects simulated clients by
export type { Encoding, Transport, TransportListener } from './connections/transport.js';
export { ConnectionsService } from './sockets/connections.service.js';
