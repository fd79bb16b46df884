import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { NodeRpc, nodeSubject } from '../broker/node-rpc.js';
import { Hub } from '../hub/hub.js';

const connectionCount = nodeSubject<{ readonly appId: string }, number>('connections.count');

/** Counts the open connections of an app over all processes that answer within a second. */
@Injectable()
export class ConnectionCounts implements OnApplicationBootstrap {
  constructor(
    private readonly calls: NodeRpc,
    private readonly hub: Hub,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on(connectionCount, ({ appId }) => this.own(appId));
    this.calls.open();
  }

  async of(appId: string): Promise<number> {
    await this.calls.ready();
    const { answers } = await this.calls.askAll(connectionCount, { appId });
    return answers.reduce((sum, { answer }) => sum + answer, 0);
  }

  private own(appId: string): number {
    let count = 0;
    for (const { app } of this.hub.connections) if (app.id === appId) count += 1;
    return count;
  }
}
