import { PublishOutbox } from 'rookery/publish';
import { DeviceRepository } from 'rookery/push-device';
import { remotePort } from '../../../apps/server/src/workers/remote-port.js';
import { linkService } from '../../../apps/server/src/workers/rpc-link.js';
import { RemoteJobStore } from '../jobs.js';

// The ports that a database serves: `BeamsStore` serves them at the other end of a simulated link.

export const outboxService = linkService<Omit<PublishOutbox, 'jobs'>>('outbox');
export const devicesService = linkService<DeviceRepository>('devices');

export const RemotePublishOutbox = remotePort(PublishOutbox, outboxService, {
  jobs: (link) => new RemoteJobStore(link),
  add: 'call',
  save: 'call',
  leave: 'call',
  finish: 'call',
  cancel: 'call',
  retries: 'call',
  waiting: 'call',
  find: 'call',
  knows: 'call',
  latest: 'call',
  finishedBefore: 'call',
  forget: 'call',
  outcomes: 'call',
  forgetOutcomes: 'call',
  forgetKeys: 'call',
  report: 'call',
  isReported: 'call',
  reports: 'call',
  reportsOf: 'call',
});

export const RemoteDeviceRepository = remotePort(DeviceRepository, devicesService, {
  register: 'call',
  find: 'call',
  remove: 'call',
  setMetadata: 'call',
  setToken: 'call',
  setUser: 'call',
  interests: 'call',
  setInterests: 'call',
  addInterest: 'call',
  removeInterest: 'call',
  removeUser: 'call',
  inAudience: 'call',
  latest: 'call',
  markGone: 'call',
  unmarkGone: 'call',
  setEnvironments: 'call',
  removeUnregistered: 'call',
  see: 'call',
  removeUnseen: 'call',
});
