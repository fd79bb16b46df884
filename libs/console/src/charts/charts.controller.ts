import { Get, type OnApplicationBootstrap, Query } from '@nestjs/common';
import { NodeRpc, type NodeSubject, nodeSubject } from 'rookery/internal/channels';
import { keptChartMinutes } from 'rookery/internal/common';
import { ConsoleController } from '../access/console.guard.js';
import { AppInPath } from '../channels/app-in-path.js';
import type { Charts } from '../contract/index.js';
import { badRequest } from '../console.errors.js';
import { PushServices } from '../push/push-services.js';
import { chartsOf, type Line } from './charts.js';
import { Minutes } from './minutes.js';
import { PushSamples, pushSeriesNames } from './push-samples.js';
import { Samples, seriesNames } from './samples.js';

const appCharts = nodeSubject<{ readonly appId?: string }, Line>('console.appCharts');
const pushCharts = nodeSubject<{ readonly instanceId: string }, Line>('console.pushCharts');

/** `GET /console/api/charts`, `…/charts/day` and `…/charts/push` */
@ConsoleController('charts')
export class ChartsController implements OnApplicationBootstrap {
  constructor(
    private readonly calls: NodeRpc,
    private readonly samples: Samples,
    private readonly minutes: Minutes,
    private readonly pushSamples: PushSamples,
    private readonly apps: AppInPath,
    private readonly push: PushServices,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on(appCharts, ({ appId }) => this.samples.of(appId));
    this.calls.on(pushCharts, ({ instanceId }) => this.pushSamples.of(instanceId));
  }

  @Get()
  async lastHour(@Query('app') appId: unknown): Promise<Charts> {
    if (typeof appId !== 'string' || appId === '') return this.allApps();
    const { id } = await this.apps.transform(appId);
    return this.drawn(seriesNames, appCharts, { appId: id });
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
    return this.drawn(pushSeriesNames, pushCharts, { instanceId: id });
  }

  /** Processes that have ended are drawn as they were kept. */
  private async allApps(): Promise<Charts> {
    const now = Date.now();
    const { answers } = await this.calls.askAll(appCharts, {});
    const ended = await this.minutes.stepsWithout(new Set(answers.map(({ node }) => node)), now);
    return chartsOf(seriesNames, [...answers.map(({ answer }) => answer), ended], now);
  }

  private async drawn<About>(
    names: readonly string[],
    question: NodeSubject<About, Line>,
    about: About,
  ): Promise<Charts> {
    const { answers } = await this.calls.askAll(question, about);
    return chartsOf(
      names,
      answers.map(({ answer }) => answer),
      Date.now(),
    );
  }
}
