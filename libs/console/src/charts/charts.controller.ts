import { Get, type OnApplicationBootstrap, Query, UseGuards } from '@nestjs/common';
import { NodeCalls } from 'rookery/channels';
import { RookeryController } from 'rookery/common';
import { ConsoleGuard } from '../access/console.guard.js';
import { AppInPath } from '../channels/app-in-path.js';
import { type Charts, chartsOf } from './charts.js';
import { type Sample, Samples, seriesNames } from './samples.js';

type Line = readonly (readonly [step: number, Sample & Readonly<Record<string, number>>])[];

/** `GET /console/api/charts` */
@RookeryController('console/api/charts')
@UseGuards(ConsoleGuard)
export class ChartsController implements OnApplicationBootstrap {
  constructor(
    private readonly calls: NodeCalls,
    private readonly samples: Samples,
    private readonly apps: AppInPath,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on<{ appId?: string }>('charts', ({ appId }) => this.samples.of(appId));
  }

  @Get()
  async lastHour(@Query('app') appId: unknown): Promise<Charts> {
    const app = typeof appId === 'string' && appId !== '' ? await this.apps.find(appId) : undefined;
    const { answers } = await this.calls.askAll<Line>('charts', app ? { appId: app.id } : {});
    return chartsOf(
      seriesNames,
      answers.map(({ answer }) => answer),
      Date.now(),
    );
  }
}
