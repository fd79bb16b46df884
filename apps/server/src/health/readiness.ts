import { Injectable, Logger, type OnModuleDestroy, Optional } from '@nestjs/common';
import { NodeLease } from 'rookery/internal/channels';
import { StorageHealth } from 'rookery/typeorm';
import { primaryServices } from '../workers/link-services.js';
import { RpcLink } from '../workers/rpc-link.js';

export type ReadyStatus =
  | 'ok'
  | 'shutting down'
  | 'workers are starting'
  | 'the database takes no writes'
  | 'Redis is away'
  | 'PostgreSQL is away';

/**
 * Whether to send new work here: once all workers listen, until shutdown begins, while the database and Redis take
 * writes.
 */
@Injectable()
export class Readiness implements OnModuleDestroy {
  private readonly logger = new Logger(Readiness.name);
  private isClosing = false;
  private writes = true;

  constructor(
    private readonly storage: StorageHealth,
    @Optional() private readonly lease?: NodeLease,
    @Optional() private readonly primary?: RpcLink,
  ) {}

  async status(): Promise<ReadyStatus> {
    if (this.isClosing) return 'shutting down';
    if (!((await this.primary?.call(primaryServices.boot, 'isOver')) ?? true)) return 'workers are starting';
    if (this.lease?.isLost) return `${this.lease.storeName} is away`;
    const fault = await this.storage.check().then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (this.writes !== (fault === undefined)) this.log(fault);
    this.writes = fault === undefined;
    return this.writes ? 'ok' : 'the database takes no writes';
  }

  onModuleDestroy(): void {
    this.isClosing = true;
  }

  private log(fault: string | undefined): void {
    if (fault === undefined) this.logger.log('Ready again: the database takes writes');
    else this.logger.error(`Not ready: the database takes no writes: ${fault}`);
  }
}
