import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { NodesService } from 'rookery/channels';
import { ThisNode } from '#common';
import { RpcLink } from './rpc-link.js';

/** What the process that started this worker tells it of the others. */
@Injectable()
export class WorkerNode {
  constructor(
    link: RpcLink,
    private readonly node: ThisNode,
    private readonly modules: ModuleRef,
  ) {
    link.serve('node', this);
    link.notify('worker', 'isNamed', node.id);
  }

  /** How many other workers are alive. */
  others(count: number): void {
    this.node.others = count;
  }

  /** A worker is dead: this one alone takes out what it held, and tells of it. */
  takeOut(nodeId: string): Promise<void> {
    return this.modules.get(NodesService, { strict: false }).takeOut(nodeId);
  }
}
