import { Get, Query } from '@nestjs/common';
import { keptChartMinutes } from 'rookery/internal/common';
import { ConsoleController } from '../access/console.guard.js';
import { AppInPath } from '../channels/app-in-path.js';
import type { Charts } from '../contract/index.js';
import { badRequest } from '../console.errors.js';
import { Processes } from '../processes/processes.js';
import { PushServices } from '../push/push-services.js';
import { chartsOf } from './charts.js';
import { Minutes } from './minutes.js';
import { pushSeriesNames } from '../watch/push-samples.js';
import { seriesNames } from '../watch/samples.js';

/** `GET /console/api/charts`, `…/charts/day` and `…/charts/push` */
@ConsoleController('charts')
export class ChartsController {
  constructor(
    private readonly processes: Processes,
    private readonly minutes: Minutes,
    private readonly apps: AppInPath,
    private readonly push: PushServices,
  ) {}

  @Get()
  async lastHour(@Query('app') appId: unknown): Promise<Charts> {
    if (typeof appId !== 'string' || appId === '') return this.allApps();
    const { id } = await this.apps.transform(appId);
    return chartsOf(seriesNames, await this.processes.all('appChart', { appId: id }), Date.now());
  }

  /** The last day of all apps together, minute by minute, up to the last one that is over. */
  @Get('day')
  async lastDay(): Promise<Charts> {
    const lastMinute = Date.now() - 60_000;
    const line = await this.minutes.lastMinutes(keptChartMinutes, Date.now());
    return chartsOf(seriesNames, [line], lastMinute, { stepSeconds: 60, steps: keptChartMinutes });
  }

  @Get('push')
  async lastHourOfPush(@Query('instance') instanceId: unknown): Promise<Charts> {
    if (typeof instanceId !== 'string' || instanceId === '') throw badRequest('Name an instance.');
    const { id } = await this.push.find(instanceId);
    return chartsOf(pushSeriesNames, await this.processes.all('instanceChart', { instanceId: id }), Date.now());
  }

  /** Processes that have ended are drawn as they were kept. */
  private async allApps(): Promise<Charts> {
    const now = Date.now();
    const { answers } = await this.processes.read('appChart', {});
    const ended = await this.minutes.stepsWithout(new Set(answers.map(({ node }) => node)), now);
    return chartsOf(seriesNames, [...answers.map(({ answer }) => answer), ended], now);
  }
}
