import { Get } from '@nestjs/common';
import { CurrentApp } from '../access/signed-request.guard.js';
import type { App } from '../app/app.js';
import { ConnectionCounts } from '../wings/connection-counts.js';
import { ChannelsApi } from '../access/channels-api.js';

/** api § GET /apps/<app_id>/connections */
@ChannelsApi()
export class ConnectionsController {
  constructor(private readonly counts: ConnectionCounts) {}

  @Get('connections')
  async count(@CurrentApp() { id }: App): Promise<{ readonly connections: number }> {
    return { connections: await this.counts.of(id) };
  }
}
