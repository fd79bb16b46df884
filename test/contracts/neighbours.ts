import {
  describeChannelRepository,
  describeDeviceRepository,
  describeIdempotencyKeys,
  describeLiveActivityRepository,
  describePresenceRepository,
  describeReceiptRepository,
  describeSessionRepository,
  type Fresh,
} from '@rookery/testing';
import {
  type ChannelRepository,
  type IdempotencyKeys,
  MemoryChannelRepository,
  MemoryIdempotencyKeys,
  MemoryReceiptRepository,
  MemorySessionRepository,
  type ReceiptRepository,
  type SessionRepository,
} from 'rookery/channels';
import { MemoryPresenceRepository, type PresenceRepository } from 'rookery/presence';
import { type LiveActivityRepository, MemoryLiveActivityRepository } from 'rookery/publish';
import { type DeviceRepository, MemoryDeviceRepository } from 'rookery/push-device';
import { describeBesideNeighbours, type Naming } from './neighbour.js';

type Positions = (calls: number) => readonly number[];

/** Once: stores beyond this process take longer. */
export const onceInTheMiddle: Positions = (calls) => [Math.floor(calls / 2)];
/** Between any two calls, some of them where there are many. */
export const oftenInMemory: Positions = (calls) =>
  calls > 200 ? onceInTheMiddle(calls) : [1, 2, 3, 4, 5].map((part) => Math.floor((part * calls) / 6));

const first = [0];
const nodes = { announce: [0], takeOut: [0, 1] };

/** What the contract of a port beside neighbours takes: a row of the table below. */
const row = <Port extends object>(
  describeContract: Parameters<typeof describeBesideNeighbours<Port>>[0],
  inMemory: Fresh<Port>,
  naming: Naming,
) => ({
  inMemory,
  describe: (fresh: Fresh<Port>, positions: Positions): void =>
    describeBesideNeighbours(describeContract, { fresh, counted: inMemory, naming }, positions),
});

/**
 * The ports that are asked for many tenants at once, each with its contract, its implementation in memory, and how it
 * names tenants, whose names must not meet. Queues are not here: a claim takes the jobs of all.
 */
export const besideNeighbours = {
  ChannelRepository: row<ChannelRepository>(describeChannelRepository, () => new MemoryChannelRepository(), {
    tenants: {
      occupy: first,
      holdsVacancy: first,
      confirmVacated: first,
      subscriptionCounts: first,
      occupied: first,
      admit: first,
      dismiss: first,
    },
    nodes: { ...nodes, occupy: [2], holdsVacancy: [3], admit: [1], dismiss: [1] },
    ofNodes: ['announce', 'takeOut'],
    iterated: ['occupied'],
  }),
  PresenceRepository: row<PresenceRepository>(describePresenceRepository, () => new MemoryPresenceRepository(), {
    tenants: { memberCounts: first },
    nodes: { ...nodes, holdsAbsence: [3] },
    ofNodes: ['announce', 'takeOut'],
  }),
  SessionRepository: row<SessionRepository>(describeSessionRepository, () => new MemorySessionRepository(), {
    tenants: {},
  }),
  IdempotencyKeys: row<IdempotencyKeys>(describeIdempotencyKeys, () => new MemoryIdempotencyKeys(), { tenants: {} }),
  ReceiptRepository: row<ReceiptRepository>(describeReceiptRepository, () => new MemoryReceiptRepository(), {
    tenants: { find: first },
  }),
  LiveActivityRepository: row<LiveActivityRepository>(
    describeLiveActivityRepository,
    () => new MemoryLiveActivityRepository(),
    { tenants: { channels: first, setStartToken: first, startTokens: first, removeStartTokens: first } },
  ),
  DeviceRepository: row<DeviceRepository>(describeDeviceRepository, () => new MemoryDeviceRepository(), {
    tenants: Object.fromEntries(
      [
        'register',
        'find',
        'remove',
        'setMetadata',
        'setToken',
        'setUser',
        'interests',
        'setInterests',
        'addInterest',
        'removeInterest',
        'removeUser',
        'inAudience',
        'latest',
        'markGone',
        'unmarkGone',
        'setEnvironments',
        'removeUnregistered',
        'see',
      ].map((method) => [method, first]),
    ),
    ofAll: ['removeUnseen'],
  }),
};
