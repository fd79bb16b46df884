import { Delete, Get, HttpCode } from '@nestjs/common';
import type { App } from 'rookery/channels';
import { PathTail } from 'rookery/internal/http';
import { ConsoleController } from '../access/console.guard.js';
import type { UserDetail, UserDevice } from '../contract/index.js';
import { notFound } from '../console.errors.js';
import { ConsoleSettings } from '../console.options.js';
import { Processes } from '../processes/processes.js';
import { PushServices } from '../push/push-services.js';
import { withoutPayload } from '../watch/activity.js';
import { InApp } from '../channels/app-in-path.js';

/** Of connections, activities and devices. */
const maxShown = 100;

/** `/console/api/apps/:app/users/:user`: one user, over all processes. A wildcard: ids may have any character. */
@ConsoleController('apps/:app/users')
export class ConsoleUsersController {
  constructor(
    private readonly processes: Processes,
    private readonly push: PushServices,
    private readonly settings: ConsoleSettings,
  ) {}

  @Get('*tail')
  async one(@InApp() app: App, @PathTail() userId: string): Promise<UserDetail> {
    const [{ answers, missing }, devices] = await Promise.all([
      this.processes.read('user', { appId: app.id, userId, most: maxShown }),
      this.devices(userId),
    ]);
    const connections = answers.flatMap(({ node, answer }) => answer.connections.map((each) => ({ node, ...each })));
    const lately = answers.flatMap(({ answer }) => answer.lately).toSorted((left, right) => right.at - left.at);
    return {
      id: userId,
      connections: connections.toSorted((left, right) => right.connectedAt - left.connectedAt).slice(0, maxShown),
      lately: lately.slice(0, maxShown).map((each) => (this.settings.hidePayloads ? withoutPayload(each) : each)),
      devices,
      missingNodes: missing,
    };
  }

  /** Closes all connections of the user, signed in or present on a channel, with 4009. */
  @Delete('*tail')
  @HttpCode(200)
  async disconnect(@InApp() app: App, @PathTail() userId: string): Promise<{ readonly closed: number }> {
    const counts = await this.processes.all('disconnectUser', { appId: app.id, userId });
    const closed = counts.reduce((sum, count) => sum + count, 0);
    if (closed === 0) throw notFound('A connection of this user');
    return { closed };
  }

  /** In all push instances: an instance belongs to no app. */
  private async devices(userId: string): Promise<readonly UserDevice[]> {
    const instances = await this.push.instances(this.push.counted.keys());
    const found = await Promise.all(
      instances.map(async ({ id }) => {
        const { devices } = await this.push.parts.devicesService.inAudience(id, { users: [userId] }, '', maxShown);
        return devices.map(({ id: device, platform }) => ({ instance: id, id: device, platform }));
      }),
    );
    return found.flat().slice(0, maxShown);
  }
}
