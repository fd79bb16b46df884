import { Delete, Get, HttpCode } from '@nestjs/common';
import type { App } from 'rookery/channels';
import { PathTail } from 'rookery/internal/http';
import { ConsoleController } from '../access/console.guard.js';
import type { UserDetail } from '../contract/index.js';
import { notFound } from '../console.errors.js';
import { ConsoleSettings } from '../console.options.js';
import { Processes } from '../processes/processes.js';
import { timelineOfAll } from '../watch/timeline-of-all.js';
import { InApp } from '../channels/app-in-path.js';
import { UserDevices } from './user-devices.js';

/** Of connections, activities and devices. */
const maxShown = 100;

/** `/console/api/apps/:app/users/:user`: one user, over all processes. A wildcard: ids may have any character. */
@ConsoleController('apps/:app/users')
export class ConsoleUsersController {
  constructor(
    private readonly processes: Processes,
    private readonly devices: UserDevices,
    private readonly settings: ConsoleSettings,
  ) {}

  @Get('*tail')
  async one(@InApp() app: App, @PathTail() userId: string): Promise<UserDetail> {
    const asked = { appId: app.id, userId, most: maxShown };
    const [{ answers, missing }, timelines, devices] = await Promise.all([
      this.processes.read('user', asked),
      this.processes.read('userTimeline', asked),
      this.devices.of(userId, maxShown),
    ]);
    const connections = answers.flatMap(({ node, answer }) => answer.connections.map((each) => ({ node, ...each })));
    const own = timelines.answers.map(({ answer }) => answer);
    const { hidePayloads } = this.settings;
    return {
      id: userId,
      connections: connections.toSorted((left, right) => right.connectedAt - left.connectedAt).slice(0, maxShown),
      timeline: timelineOfAll(own, timelines.missing, { most: maxShown, hidePayloads }),
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
}
