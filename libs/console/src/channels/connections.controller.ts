import { Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import type { App } from 'rookery/channels';
import type { ConnectionsQuery } from 'rookery/internal/channels';
import { ConsoleController } from '../access/console.guard.js';
import type { ConnectionDetail, Connections } from '../contract/index.js';
import { notFound } from '../console.errors.js';
import { ConsoleSettings } from '../console.options.js';
import { Processes } from '../processes/processes.js';
import { timelineOfAll } from '../watch/timeline-of-all.js';
import { InApp } from './app-in-path.js';
import { byName, orderIn, pageOf, pageQuery, pageSize } from '../page.js';

const connectionOrders = ['socketId', 'channels', 'waitingBytes', 'connectedAt'] as const;

/** Of its timeline. */
const maxShown = 100;

/** `/console/api/apps/:app/connections`: the connections of all processes. */
@ConsoleController('apps/:app/connections')
export class ConsoleConnectionsController {
  constructor(
    private readonly processes: Processes,
    private readonly settings: ConsoleSettings,
  ) {}

  @Get()
  async page(@InApp() app: App, @Query() query: Readonly<Record<string, unknown>>): Promise<Connections> {
    const { search, after } = pageQuery(query);
    const order = orderIn(connectionOrders, query['sort']);
    const asked: ConnectionsQuery = { appId: app.id, search, after, limit: pageSize + 1, order };
    const { answers } = await this.processes.read('connections', asked);
    const all = answers.flatMap(({ node, answer }) => answer.connections.map((each) => ({ node, ...each })));
    const total = answers.reduce((sum, { answer }) => sum + answer.total, 0);
    if (order !== 'socketId') {
      const largest = all.toSorted((left, right) => right[order] - left[order]);
      return { connections: largest.slice(0, pageSize), total, next: null };
    }
    const nameOf = ({ socketId }: { socketId: string }): string => socketId;
    const { rows, next } = pageOf(all.toSorted(byName(nameOf)), nameOf);
    return { connections: rows, total, next };
  }

  @Get(':socketId')
  async one(@InApp() app: App, @Param('socketId') socketId: string): Promise<ConnectionDetail> {
    const asked = { appId: app.id, socketId, most: maxShown };
    const [{ answers }, timelines] = await Promise.all([
      this.processes.read('connection', asked),
      this.processes.read('connectionTimeline', asked),
    ]);
    const found = answers.find(({ answer }) => answer !== null);
    if (!found?.answer) throw notFound('The connection');
    const { connection } = found.answer;
    const { hidePayloads } = this.settings;
    const own = timelines.answers.map(({ answer }) => answer);
    return {
      ...connection,
      node: found.node,
      userInfo: hidePayloads || connection.userInfo === null ? null : (JSON.parse(connection.userInfo) as unknown),
      timeline: timelineOfAll(own, timelines.missing, { most: maxShown, hidePayloads }),
    };
  }

  @Delete(':socketId')
  @HttpCode(204)
  async close(@InApp() app: App, @Param('socketId') socketId: string): Promise<void> {
    const closed = await this.processes.all('closeConnection', { appId: app.id, socketId });
    if (!closed.includes(true)) throw notFound('The connection');
  }
}
