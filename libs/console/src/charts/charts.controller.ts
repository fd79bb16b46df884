import { Get, type OnApplicationBootstrap, Query, UseGuards } from '@nestjs/common';
import { NodeRpc } from 'rookery/channels';
import { RookeryController } from 'rookery/common';
import { ConsoleGuard } from '../access/console.guard.js';
import { AppInPath } from '../channels/app-in-path.js';
import type { Charts } from '../contract.js';
import { badRequest } from '../console.errors.js';
import { PushColumn } from '../push/push-column.js';
import { chartsOf, type Line } from './charts.js';
import { PushSamples, pushSeriesNames } from './push-samples.js';
import { Samples, seriesNames } from './samples.js';

/** `GET /console/api/charts` and `…/charts/push` */
@RookeryController('console/api/charts')
@UseGuards(ConsoleGuard)
export class ChartsController implements OnApplicationBootstrap {
  constructor(
    private readonly calls: NodeRpc,
    private readonly samples: Samples,
    private readonly pushSamples: PushSamples,
    private readonly apps: AppInPath,
    private readonly push: PushColumn,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on<{ appId?: string }>('charts', ({ appId }) => this.samples.of(appId));
    this.calls.on<{ instanceId: string }>('push-charts', ({ instanceId }) => this.pushSamples.of(instanceId));
  }

  @Get()
  async lastHour(@Query('app') appId: unknown): Promise<Charts> {
    const app = typeof appId === 'string' && appId !== '' ? await this.apps.find(appId) : undefined;
    return this.drawn(seriesNames, 'charts', app ? { appId: app.id } : {});
  }

  @Get('push')
  async lastHourOfPush(@Query('instance') instanceId: unknown): Promise<Charts> {
    if (typeof instanceId !== 'string' || instanceId === '') throw badRequest('Name an instance.');
    const { id } = await this.push.find(instanceId);
    return this.drawn(pushSeriesNames, 'push-charts', { instanceId: id });
  }

  private async drawn(names: readonly string[], question: string, about: object): Promise<Charts> {
    const { answers } = await this.calls.askAll<Line>(question, about);
    return chartsOf(
      names,
      answers.map(({ answer }) => answer),
      Date.now(),
    );
  }
}
