// Contracts of the ports
export * from './contracts/announcement-repository.contract.js';
export * from './contracts/app-repository.contract.js';
export * from './contracts/broker.contract.js';
export * from './contracts/channel-repository.contract.js';
export * from './contracts/device-repository.contract.js';
export * from './contracts/editable-app-repository.contract.js';
export * from './contracts/editable-instance-repository.contract.js';
export * from './contracts/idempotency-keys.contract.js';
export * from './contracts/instance-repository.contract.js';
export * from './contracts/live-activity-repository.contract.js';
export * from './contracts/notification-repository.contract.js';
export * from './contracts/presence-repository.contract.js';
export * from './contracts/publish-outbox.contract.js';
export * from './contracts/push-gateway.contract.js';
export * from './contracts/request-rates.contract.js';
export * from './contracts/receipt-repository.contract.js';
export * from './contracts/session-repository.contract.js';
export * from './contracts/console-store.contract.js';
export * from './contracts/trigger-outbox.contract.js';
export * from './contracts/job-store.contract.js';
export type { DescribeContract, Fresh } from './contracts/contract.js';
export type { Runner } from './contracts/runner.js';
export * from './until.js';
// A server to test with
export * from './rookery-testing.js';
export { rookeryMatchers, type PushTarget, type ReceivesEvents, type RecordsPushes } from './matchers.js';
export {
  TestClient,
  type AppCredentials,
  type TestClientOptions,
  type TestMember,
  type TestUser,
} from './client/test-client.js';
export type { RecordedEvent } from './client/recorded-event.js';
export { TestClock } from './clock/test-clock.js';
export { FakeGateway, type AnswerDetails, type FakeAnswer, type FakeOutcome } from './gateways/fake.gateway.js';
export { FakeApnsGateway, type ApnsReason } from './gateways/fake-apns.gateway.js';
export { FakeBroadcastChannels } from './gateways/fake-broadcast-channels.js';
export { FakeFcmGateway, type FcmErrorCode } from './gateways/fake-fcm.gateway.js';
export { FakeWebGateway, type WebPushStatus } from './gateways/fake-web.gateway.js';
export { PushRecord, type Push } from './gateways/push-record.js';
// A simulation of several processes
export { simulate, type SimulateOptions, type Story } from './simulation/simulate.js';
export { type InProcess, Simulation } from './simulation/simulation.js';
export { SimulatedClient, type SimulatedClientOptions } from './simulation/simulated-client.js';
export type { SimulatedWebhook } from './simulation/simulated-receiver.js';
export type { Duration } from './simulation/duration.js';
export { Random } from './simulation/random.js';
export type { RookeryMatchers } from './matchers.types.js';
