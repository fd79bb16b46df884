import { Get } from '@nestjs/common';
import { describing } from '#http';
import { CurrentApp } from '../access/signed-request.guard.js';
import type { App } from '../app/app.js';
import { ConnectionCounts } from '../wings/connection-counts.js';
import { ChannelsApi } from '../access/channels-api.js';
import { Signed } from '../access/signed-operation.js';

const { answer, count, shape } = describing;

/** api § GET /apps/<app_id>/connections */
@ChannelsApi()
export class ConnectionsController {
  constructor(private readonly counts: ConnectionCounts) {}

  @Get('connections')
  @Signed('The number of open connections, over all processes', () => ({
    answers: answer('Those of this app', shape({ connections: count }), { connections: 42 }),
  }))
  async count(@CurrentApp() { id }: App): Promise<{ readonly connections: number }> {
    return { connections: await this.counts.of(id) };
  }
}
