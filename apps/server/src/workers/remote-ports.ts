import {
  Broker,
  ChannelRepository,
  IdempotencyKeys,
  MemoryIdempotencyKeys,
  MemoryReceiptRepository,
  ReceiptRepository,
  SessionRepository,
} from 'rookery/channels';
import { MemoryRequestRates, RequestRates } from 'rookery/internal/common';
import { PresenceRepository } from 'rookery/presence';
import { primaryServices, workerServices } from './link-services.js';
import { remotePort } from './remote-port.js';
import { readPages } from './served-pages.js';

// The ports that the workers of a machine share: `SharedPorts` serves them in the process that started the workers.

export const RemotePresenceRepository = remotePort(PresenceRepository, primaryServices.presence, {
  join: 'call',
  leave: 'call',
  update: 'call',
  announce: 'call',
  takeOut: 'call',
  roster: 'call',
  memberCounts: 'call',
  holdsAbsence: 'call',
  confirmAbsent: 'call',
});

export const RemoteChannelRepository = remotePort(ChannelRepository, primaryServices.channels, {
  occupy: 'call',
  holdsVacancy: 'call',
  confirmVacated: 'call',
  subscriptionCounts: 'call',
  occupied: (link) => (appId, prefix) => readPages(link, primaryServices.occupied, appId, prefix),
  admit: 'call',
  dismiss: 'call',
  announce: 'call',
  takeOut: 'call',
});

export const RemoteSessionRepository = remotePort(SessionRepository, primaryServices.sessions, {
  open: 'call',
  save: 'call',
});

export const RemoteReceiptRepository = remotePort(
  ReceiptRepository,
  primaryServices.receipts,
  { add: 'call', find: 'call' },
  MemoryReceiptRepository,
);

export const RemoteIdempotencyKeys = remotePort(
  IdempotencyKeys,
  primaryServices.idempotencyKeys,
  { claim: 'call', answer: 'call', release: 'call' },
  MemoryIdempotencyKeys,
);

export const RemoteRequestRates = remotePort(
  RequestRates,
  primaryServices.requestRates,
  { take: 'call', giveBack: 'call' },
  MemoryRequestRates,
);

/** Nothing is lost on the way, unless a process is. */
export const RemoteBroker = remotePort(Broker, primaryServices.broker, {
  receive: (link) => (receiver) => link.serve(workerServices.receiver, receiver),
  publish: 'call',
  recall: 'call',
  history: 'call',
  subscribe: 'call',
  keptSizes: (link) => () => readPages(link, primaryServices.keptSizes),
  // There is no need to wait: later messages find no subscriber here.
  unsubscribe: (link) => (appId, channel) => link.notify(primaryServices.broker, 'unsubscribe', appId, channel),
});
