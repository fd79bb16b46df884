import { Delete, Get, HttpCode, type OnApplicationBootstrap, Param, Query } from '@nestjs/common';
import {
  type ConnectionsPage,
  type ConnectionsQuery,
  NodeRpc,
  nodeSubject,
  OpenConnections,
  type ShownConnectionInFull,
  type App,
} from 'rookery/internal/channels';
import { ConsoleController } from '../access/console.guard.js';
import type { Activity, ConnectionDetail, Connections } from '../contract/index.js';
import { notFound } from '../console.errors.js';
import { ConsoleSettings } from '../console.options.js';
import { withoutPayload } from '../watch/activity.js';
import { TraceAnswers } from '../watch/trace-answers.js';
import { InApp } from './app-in-path.js';
import { byName, orderIn, pageOf, pageQuery, pageSize } from '../page.js';

interface OneConnection {
  readonly appId: string;
  readonly socketId: string;
}

/** The answer of the process that has the connection; the others answer null. */
type Found = { readonly connection: ShownConnectionInFull; readonly recent: readonly Activity[] } | null;

const connectionPage = nodeSubject<ConnectionsQuery, ConnectionsPage>('console.connections');
const oneConnection = nodeSubject<OneConnection, Found>('console.connection');
const closeConnection = nodeSubject<OneConnection, boolean>('console.closeConnection');

const connectionOrders = ['socketId', 'channels', 'waitingBytes', 'connectedAt'] as const;

const maxRecent = 50;

/** `/console/api/apps/:app/connections`: the connections of all processes. */
@ConsoleController('apps/:app/connections')
export class ConsoleConnectionsController implements OnApplicationBootstrap {
  constructor(
    private readonly calls: NodeRpc,
    private readonly connections: OpenConnections,
    private readonly trace: TraceAnswers,
    private readonly settings: ConsoleSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on(connectionPage, (query) => this.connections.page(query));
    this.calls.on(oneConnection, (one) => this.own(one));
    this.calls.on(closeConnection, ({ appId, socketId }) => this.connections.close(appId, socketId));
  }

  @Get()
  async page(@InApp() app: App, @Query() query: Readonly<Record<string, unknown>>): Promise<Connections> {
    const { search, after } = pageQuery(query);
    const order = orderIn(connectionOrders, query['sort']);
    const asked: ConnectionsQuery = { appId: app.id, search, after, limit: pageSize + 1, order };
    const { answers } = await this.calls.askAll(connectionPage, asked);
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
    const { answers } = await this.calls.askAll(oneConnection, { appId: app.id, socketId });
    const found = answers.find(({ answer }) => answer !== null);
    if (!found?.answer) throw notFound('The connection');
    const { connection, recent } = found.answer;
    const { hidePayloads } = this.settings;
    return {
      ...connection,
      node: found.node,
      userInfo: hidePayloads || connection.userInfo === null ? null : (JSON.parse(connection.userInfo) as unknown),
      recent: hidePayloads ? recent.map(withoutPayload) : recent,
    };
  }

  @Delete(':socketId')
  @HttpCode(204)
  async close(@InApp() app: App, @Param('socketId') socketId: string): Promise<void> {
    const { answers } = await this.calls.askAll(closeConnection, { appId: app.id, socketId });
    if (!answers.some(({ answer }) => answer)) throw notFound('The connection');
  }

  private own({ appId, socketId }: OneConnection): Found {
    const connection = this.connections.find(appId, socketId);
    if (!connection) return null;
    const steps = this.trace.stepsOf(appId, socketId).slice(-maxRecent);
    return { connection, recent: steps.map(({ activity }) => activity).toReversed() };
  }
}
