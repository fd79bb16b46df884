import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe } from 'vitest';
import { linkService, type RpcLink } from '../../apps/server/src/workers/rpc-link.js';
import { rpcOverIpc } from '../../apps/server/src/workers/ipc-link.js';
import { SharedPorts } from '../../apps/server/src/workers/shared-ports.js';
import { LinkedWorker } from '../support/linked-worker.js';
import { buildModules } from '../support/server-process.js';
import type { Fresh } from '@rookery/testing';
import {
  RemoteBroker,
  RemoteChannelRepository,
  RemoteIdempotencyKeys,
  RemotePresenceRepository,
  RemoteReceiptRepository,
  RemoteRequestRates,
  RemoteSessionRepository,
} from '../../apps/server/src/workers/remote-ports.js';
import { describePortsOf } from './ports-of.js';

const script = fileURLToPath(new URL('../support/shared-ports-process.mjs', import.meta.url));

const inThisProcess =
  <Port>(port: (link: RpcLink) => Port): Fresh<Port> =>
  () =>
    port(new LinkedWorker(new SharedPorts()).link);

/** Served by the script. */
const sharedPorts = linkService<{ renew(): void }>('sharedPorts');

let other: ChildProcess;
let otherLink: RpcLink;

/** With nothing in it: the ports are others for each test, its process is not. */
const inAnotherProcess =
  <Port>(port: (link: RpcLink) => Port): Fresh<Port> =>
  async () => {
    await otherLink.call(sharedPorts, 'renew');
    return port(otherLink);
  };

beforeAll(async () => {
  await buildModules();
  // Without the options of the test runner: its libs are the built ones.
  other = fork(script, { execArgv: ['--import', './bench/support/typescript.mjs'] });
  otherLink = rpcOverIpc(other);
}, 180_000);
afterAll(() => void other.kill());

describe.each([
  ['in this process', inThisProcess],
  ['in another process', inAnotherProcess],
])('Ports shared %s', (_, fresh) => {
  describePortsOf('Remote', {
    Broker: fresh((link) => new RemoteBroker(link)),
    ChannelRepository: fresh((link) => new RemoteChannelRepository(link)),
    PresenceRepository: fresh((link) => new RemotePresenceRepository(link)),
    SessionRepository: fresh((link) => new RemoteSessionRepository(link)),
    IdempotencyKeys: fresh((link) => new RemoteIdempotencyKeys(link)),
    ReceiptRepository: fresh((link) => new RemoteReceiptRepository(link)),
    RequestRates: fresh((link) => new RemoteRequestRates(link)),
    JobStore: 'none: TypeOrmJobStore',
    ConsoleStore: 'none: TypeOrmConsoleStore',
  });
});
