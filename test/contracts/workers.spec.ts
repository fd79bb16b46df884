import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Link } from '../../apps/server/src/workers/link.js';
import { linkOver } from '../../apps/server/src/workers/process-link.js';
import { Relay } from '../../apps/server/src/workers/relay.js';
import { RelayedChannelRepository } from '../../apps/server/src/workers/relayed-channel.repository.js';
import { RelayedPresenceRepository } from '../../apps/server/src/workers/relayed-presence.repository.js';
import { RelayedIdempotencyKeys } from '../../apps/server/src/workers/relayed-idempotency.keys.js';
import { RelayedRequestRates } from '../../apps/server/src/workers/relayed-request.rates.js';
import { RelayedTriggerRate } from '../../apps/server/src/workers/relayed-trigger.rate.js';
import { RelayedSessionRepository } from '../../apps/server/src/workers/relayed-session.repository.js';
import { RelayedBroker } from '../../apps/server/src/workers/relayed.broker.js';
import { LinkedWorker } from '../support/linked-worker.js';
import { buildModules } from '../support/server-process.js';
import {
  type Fresh,
  describeBroker,
  describeChannelRepository,
  describeIdempotencyKeys,
  describePresenceRepository,
  describeRequestRates,
  describeSessionRepository,
  describeTriggerRate,
} from 'rookery/testing';

const script = fileURLToPath(new URL('../support/relay-process.mjs', import.meta.url));

const inThisProcess =
  <Port>(port: (link: Link) => Port): Fresh<Port> =>
  () =>
    port(new LinkedWorker(new Relay()).link);

let other: ChildProcess;
let otherLink: Link;

/** With nothing in it: the relay is another for each test, its process is not. */
const inAnotherProcess =
  <Port>(port: (link: Link) => Port): Fresh<Port> =>
  async () => {
    await otherLink.far<{ renew(): void }>('relays').renew();
    return port(otherLink);
  };

beforeAll(async () => {
  await buildModules();
  // Without the options of the test runner: it is built code.
  other = fork(script, { execArgv: [] });
  otherLink = linkOver(other);
}, 180_000);
afterAll(() => void other.kill());

describe.each([
  ['in this process', inThisProcess],
  ['in another process', inAnotherProcess],
])('On a relay %s', (_, fresh) => {
  describe('RelayedBroker', () => {
    describeBroker(fresh((link) => new RelayedBroker(link)));
  });

  describe('RelayedChannelRepository', () => {
    describeChannelRepository(fresh((link) => new RelayedChannelRepository(link)));
  });

  describe('RelayedSessionRepository', () => {
    describeSessionRepository(fresh((link) => new RelayedSessionRepository(link)));
  });

  describe('RelayedPresenceRepository', () => {
    describePresenceRepository(fresh((link) => new RelayedPresenceRepository(link)));
  });

  describe('RelayedTriggerRate', () => {
    describeTriggerRate(fresh((link) => new RelayedTriggerRate(link)));
  });

  describe('RelayedIdempotencyKeys', () => {
    describeIdempotencyKeys(fresh((link) => new RelayedIdempotencyKeys(link)));
  });

  describe('RelayedRequestRates', () => {
    describeRequestRates(fresh((link) => new RelayedRequestRates(link)));
  });
});
