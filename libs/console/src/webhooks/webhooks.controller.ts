import { Get, HttpCode, type OnApplicationBootstrap, Param, Post, UseGuards } from '@nestjs/common';
import { ChannelsDeadLetters, NodeRpc } from 'rookery/channels';
import { type DeadLetter, loggedUrl, RookeryController } from 'rookery/common';
import { ConsoleGuard } from '../access/console.guard.js';
import { AppInPath } from '../channels/app-in-path.js';
import type { Activity, DeadWebhook, Webhooks } from '../contract.js';
import { notFound } from '../console.errors.js';
import { Trace } from '../watch/trace.js';

const mostTries = 200;
const mostDead = 200;

/** `/console/api/apps/:app/webhooks` */
@RookeryController('console/api/apps/:app/webhooks')
@UseGuards(ConsoleGuard)
export class ConsoleWebhooksController implements OnApplicationBootstrap {
  constructor(
    private readonly apps: AppInPath,
    private readonly calls: NodeRpc,
    private readonly trace: Trace,
    private readonly deadLetters: ChannelsDeadLetters,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on<{ appId: string }>('webhooks', ({ appId }) => this.trace.triesOf(appId));
  }

  @Get()
  async state(@Param('app') id: string): Promise<Webhooks> {
    const app = await this.apps.find(id);
    const [{ answers }, { webhooks, oldestDueAt }, dead] = await Promise.all([
      this.calls.askAll<readonly Activity[]>('webhooks', { appId: app.id }),
      this.deadLetters.backlog(),
      this.deadLetters.list(app.id, '', mostDead),
    ]);
    const attempts = answers.flatMap(({ answer }) => answer).toSorted((left, right) => right.at - left.at);
    return {
      attempts: attempts.slice(0, mostTries),
      waiting: webhooks,
      oldestAt: oldestDueAt ?? null,
      dead: dead.map(shown).toReversed(),
    };
  }

  @Post('dead/:id/resend')
  @HttpCode(202)
  async resend(@Param('app') appId: string, @Param('id') id: string): Promise<void> {
    const app = await this.apps.find(appId);
    if (!(await this.deadLetters.resend(app.id, id))) throw notFound('The webhook');
  }
}

const shown = ({ delivery: { id, url, body }, diedAt, reason }: DeadLetter): DeadWebhook => ({
  id,
  url: loggedUrl(url),
  events: eventsIn(body),
  at: diedAt,
  lastError: reason,
});

/** From the bodies of webhooks and listener calls. */
function eventsIn(body: string): readonly string[] {
  const { events, name } = JSON.parse(body) as { events?: readonly { name: string }[]; name?: string };
  return events?.map((each) => each.name) ?? (name === undefined ? [] : [name]);
}
