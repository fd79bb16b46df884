import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { NodesService } from 'rookery/channels';
import { ThisNode } from 'rookery/internal/common';
import { primaryServices, workerServices } from './link-services.js';
import { RpcLink } from './rpc-link.js';

/** Receives what the primary process knows about the other workers. */
@Injectable()
export class WorkerNode {
  constructor(
    link: RpcLink,
    private readonly node: ThisNode,
    private readonly modules: ModuleRef,
  ) {
    link.serve(workerServices.node, this);
    link.notify(primaryServices.worker, 'isNamed', node.id);
    node.stoppedTaking = () => link.call(primaryServices.worker, 'stoppedTaking');
  }

  /** How many other workers are alive. */
  others(count: number): void {
    this.node.others = count;
  }

  /** Called in one surviving worker: removes the dead worker's entries and announces the changes. */
  takeOut(nodeId: string): Promise<void> {
    return this.modules.get(NodesService, { strict: false }).takeOut(nodeId);
  }
}
