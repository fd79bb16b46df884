import { Get, Param, UseGuards } from '@nestjs/common';
import { NodeRpc } from 'rookery/channels';
import { RookeryController } from '#http';
import { ConsoleGuard } from '../access/console.guard.js';
import { AppInPath } from '../channels/app-in-path.js';
import type { Refusals } from '../contract/index.js';
import { maxRefusals, refusals } from './facts.js';

/** `GET /console/api/apps/:app/refusals`: the connections that were refused, by all processes. */
@RookeryController('console/api/apps/:app/refusals')
@UseGuards(ConsoleGuard)
export class RefusalsController {
  constructor(
    private readonly apps: AppInPath,
    private readonly calls: NodeRpc,
  ) {}

  @Get()
  async all(@Param('app') id: string): Promise<Refusals> {
    const app = await this.apps.find(id);
    const { answers } = await this.calls.askAll(refusals, { appId: app.id });
    const all = answers.flatMap(({ answer }) => answer).toSorted((left, right) => right.at - left.at);
    return { refusals: all.slice(0, maxRefusals) };
  }
}
