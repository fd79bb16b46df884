import { Delete, Get, HttpCode, type OnApplicationBootstrap } from '@nestjs/common';
import { NodeRpc, nodeSubject, OpenConnections, type App } from 'rookery/internal/channels';
import { PathTail } from 'rookery/internal/http';
import { ConsoleController } from '../access/console.guard.js';
import type { Activity, UserConnection, UserDetail, UserDevice } from '../contract/index.js';
import { notFound } from '../console.errors.js';
import { ConsoleSettings } from '../console.options.js';
import { PushServices } from '../push/push-services.js';
import { withoutPayload } from '../watch/activity.js';
import { TraceAnswers } from '../watch/trace-answers.js';
import { InApp } from '../channels/app-in-path.js';

interface OneUser {
  readonly appId: string;
  readonly userId: string;
}

/** A user as one process knows them. */
interface UserHere {
  readonly connections: readonly Omit<UserConnection, 'node'>[];
  readonly lately: readonly Activity[];
}

const user = nodeSubject<OneUser, UserHere>('console.user');
const disconnectUser = nodeSubject<OneUser, number>('console.disconnectUser');

const maxConnections = 100;
const maxLately = 100;
const maxDevices = 100;

/** `/console/api/apps/:app/users/:user`: one user, over all processes. A wildcard: ids may have any character. */
@ConsoleController('apps/:app/users')
export class ConsoleUsersController implements OnApplicationBootstrap {
  constructor(
    private readonly calls: NodeRpc,
    private readonly connections: OpenConnections,
    private readonly trace: TraceAnswers,
    private readonly push: PushServices,
    private readonly settings: ConsoleSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on(user, (asked) => this.here(asked));
    this.calls.on(disconnectUser, ({ appId, userId }) => this.connections.closeOfUser(appId, userId));
  }

  @Get('*tail')
  async one(@InApp() app: App, @PathTail() userId: string): Promise<UserDetail> {
    const [{ answers, missing }, devices] = await Promise.all([
      this.calls.askAll(user, { appId: app.id, userId }),
      this.devices(userId),
    ]);
    const connections = answers.flatMap(({ node, answer }) => answer.connections.map((each) => ({ node, ...each })));
    const lately = answers.flatMap(({ answer }) => answer.lately).toSorted((left, right) => right.at - left.at);
    return {
      id: userId,
      connections: connections.toSorted((left, right) => right.connectedAt - left.connectedAt).slice(0, maxConnections),
      lately: lately.slice(0, maxLately).map((each) => (this.settings.hidePayloads ? withoutPayload(each) : each)),
      devices,
      missingNodes: missing,
    };
  }

  /** Closes all connections of the user, signed in or present on a channel, with 4009. */
  @Delete('*tail')
  @HttpCode(200)
  async disconnect(@InApp() app: App, @PathTail() userId: string): Promise<{ readonly closed: number }> {
    const { answers } = await this.calls.askAll(disconnectUser, { appId: app.id, userId });
    const closed = answers.reduce((sum, { answer }) => sum + answer, 0);
    if (closed === 0) throw notFound('A connection of this user');
    return { closed };
  }

  private here({ appId, userId }: OneUser): UserHere {
    const open = this.connections.ofUser(appId, userId).slice(0, maxConnections);
    const sockets = new Set(open.map(({ socketId }) => socketId));
    return {
      connections: open.map((each) => {
        const { userInfo: _, ...shown } = each;
        return shown;
      }),
      lately: this.trace.ofUser(appId, userId, sockets, maxLately),
    };
  }

  /** In all push instances: an instance belongs to no app. */
  private async devices(userId: string): Promise<readonly UserDevice[]> {
    const instances = await this.push.instances(this.push.counted.keys());
    const found = await Promise.all(
      instances.map(async ({ id }) => {
        const { devices } = await this.push.parts.devicesService.inAudience(id, { users: [userId] }, '', maxDevices);
        return devices.map(({ id: device, platform }) => ({ instance: id, id: device, platform }));
      }),
    );
    return found.flat().slice(0, maxDevices);
  }
}
