import { type DynamicModule, Module } from '@nestjs/common';
import { supply } from 'rookery/internal/common';
import { RpcLink } from './rpc-link.js';
import { WorkerNode } from './worker-node.js';
import type { RemotePort } from './remote-port.js';
import * as remotePorts from './remote-ports.js';

const Remotes = Object.values<RemotePort<object>>(remotePorts);
const aliases = Remotes.map((Remote) => supply(Remote.port, Remote));

/** What the workers of a machine share on SQLite, without Redis: the other modules use it. */
@Module({})
export class WorkersModule {
  /** @param processes all workers: they share what the store may keep */
  static forRoot(link: RpcLink, processes = 1): DynamicModule {
    return {
      module: WorkersModule,
      global: true,
      providers: [
        { provide: RpcLink, useValue: link },
        ...Remotes.map((Remote) => ({ provide: Remote, useValue: new Remote(link) })),
        // In place of the one above. The process that started this one has a TypeOrmBroker.
        {
          provide: remotePorts.RemoteBroker,
          useValue: Object.assign(new remotePorts.RemoteBroker(link), { room: { processes }, sharesTexts: true }),
        },
        ...aliases,
        WorkerNode,
      ],
      exports: aliases,
    };
  }
}
