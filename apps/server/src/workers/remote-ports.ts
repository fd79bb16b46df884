import { Broker, ChannelRepository, IdempotencyKeys, SessionRepository } from 'rookery/channels';
import { RequestRates } from '#common';
import { PresenceRepository } from 'rookery/presence';
import type { OccupiedPages } from './occupied-pages.js';
import { remotePort } from './remote-port.js';
import type { RpcLink } from './rpc-link.js';

// The ports that the workers of a machine share: `SharedPorts` serves them in the process that started the workers.

export const RemotePresenceRepository = remotePort(PresenceRepository, 'presence', {
  join: 'call',
  leave: 'call',
  announce: 'call',
  takeOut: 'call',
  roster: 'call',
  memberCounts: 'call',
  holdsAbsence: 'call',
  confirmAbsent: 'call',
});

export const RemoteChannelRepository = remotePort(ChannelRepository, 'channels', {
  occupy: 'call',
  holdsVacancy: 'call',
  confirmVacated: 'call',
  subscriptionCounts: 'call',
  occupied: (link) => (appId, prefix) => occupiedPages(link, appId, prefix),
  admit: 'call',
  dismiss: 'call',
  announce: 'call',
  takeOut: 'call',
});

export const RemoteSessionRepository = remotePort(SessionRepository, 'sessions', { open: 'call', save: 'call' });

export const RemoteIdempotencyKeys = remotePort(IdempotencyKeys, 'idempotencyKeys', {
  claim: 'call',
  answer: 'call',
  release: 'call',
});

export const RemoteRequestRates = remotePort(RequestRates, 'requestRates', { take: 'call', giveBack: 'call' });

/** Nothing is lost on the way, unless a process is. */
export const RemoteBroker = remotePort(Broker, 'broker', {
  receive: (link) => (receiver) => link.serve('receiver', receiver),
  publish: 'call',
  recall: 'call',
  history: 'call',
  subscribe: 'call',
  // There is no need to wait: later messages find no subscriber here.
  unsubscribe: (link) => (appId, channel) => link.notify('broker', 'unsubscribe', appId, channel),
});

/** An iterator cannot be sent: its pages are asked for one by one. */
async function* occupiedPages(link: RpcLink, appId: string, prefix: string): AsyncIterable<readonly string[]> {
  const pages = link.remote<OccupiedPages>('occupied');
  const iteration = await pages.open(appId, prefix);
  try {
    for (let page; (page = await pages.next(iteration));) yield page;
  } finally {
    await pages.close(iteration);
  }
}
