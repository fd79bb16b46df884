import type {
  Broker,
  BrokerReceiver,
  ChannelRepository,
  IdempotencyKeys,
  KeptSize,
  ReceiptRepository,
  SessionRepository,
} from 'rookery/channels';
import type { PresenceRepository } from 'rookery/presence';
import type { RequestRates } from 'rookery/internal/common';
import type { ConfiguredSettings } from '../reload/configured-settings.js';
import { linkService } from './rpc-link.js';
import type { Pages } from './served-pages.js';
import type { AllMetrics, Boot, Worker, WorkerMetrics, WorkerPulse } from './worker.js';
import type { WorkerNode } from './worker-node.js';

// All that the processes of one machine ask each other: the names are those on the wire.

/** What workers call in the process that started them. */
export const primaryServices = {
  worker: linkService<Pick<Worker, 'isNamed' | 'listens' | 'fails' | 'stoppedTaking'>>('worker'),
  boot: linkService<Boot>('boot'),
  metrics: linkService<AllMetrics>('metrics'),
  // The ports that they share.
  broker: linkService<Omit<Broker, 'receive'>>('broker'),
  channels: linkService<Omit<ChannelRepository, 'occupied'>>('channels'),
  occupied: linkService<Pages<[appId: string, prefix: string], readonly string[]>>('occupied'),
  keptSizes: linkService<Pages<[], readonly KeptSize[]>>('keptSizes'),
  presence: linkService<PresenceRepository>('presence'),
  idempotencyKeys: linkService<IdempotencyKeys>('idempotencyKeys'),
  requestRates: linkService<RequestRates>('requestRates'),
  sessions: linkService<SessionRepository>('sessions'),
  receipts: linkService<ReceiptRepository>('receipts'),
};

/** What the process that started a worker calls there. */
export const workerServices = {
  node: linkService<Pick<WorkerNode, 'others' | 'takeOut'>>('node'),
  pulse: linkService<WorkerPulse>('pulse'),
  metrics: linkService<WorkerMetrics>('metrics'),
  configuration: linkService<Pick<ConfiguredSettings, 'replace'>>('configuration'),
  receiver: linkService<BrokerReceiver>('receiver'),
};
