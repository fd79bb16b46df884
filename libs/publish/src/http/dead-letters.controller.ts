import { Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { describing, RookeryController } from '#http';
import { type DeadLetterPage, deadLetterPage, isDeadLetterCursor } from '#webhooks';
import {
  AuthorizationGuard,
  CurrentInstance,
  type Instance,
  InstanceKeyGuard,
  parseCursor,
  parseLimit,
} from 'rookery/internal/push-device';
import { PublishDeadLetters } from '../webhooks/publish-dead-letters.js';
import { webhookNotFound } from '../publish.errors.js';
import { PublishInstanceGuard } from '../access/instance-guards.js';
import { badPage, WithKey } from '../access/with-key.js';

const { answer, deadLetters, inPath, pageParameters, resent } = describing;

/** An addition to Beams: lists given-up webhooks and resends them (api § Dead webhooks). */
@RookeryController('customer_api/v1/instances/:instanceId/webhooks/dead')
@UseGuards(AuthorizationGuard, PublishInstanceGuard, InstanceKeyGuard)
export class DeadLettersController {
  constructor(private readonly letters: PublishDeadLetters) {}

  @Get()
  @WithKey('The webhooks that were given up, oldest first', () => ({
    parameters: pageParameters,
    answers: answer('One page', deadLetters),
    refuses: badPage(),
  }))
  async list(
    @CurrentInstance() { id }: Instance,
    @Query() query: Readonly<Record<string, unknown>>,
  ): Promise<DeadLetterPage> {
    const after = parseCursor(query['cursor'], isDeadLetterCursor);
    const limit = parseLimit(query['limit']);
    return deadLetterPage(await this.letters.list(id, after, limit + 1), limit);
  }

  @Post('resend')
  @HttpCode(200)
  @WithKey('Send all dead webhooks again', () => ({ answers: answer('The number of webhooks', resent, { resent: 3 }) }))
  async resendAll(@CurrentInstance() { id }: Instance) {
    return { resent: await this.letters.resendAll(id) };
  }

  @Post(':webhookId/resend')
  @HttpCode(200)
  @WithKey('Send a dead webhook again', () => ({
    parameters: [inPath('webhookId', 'Its id')],
    answers: answer('It will be sent again', resent, { resent: 1 }),
    refuses: [webhookNotFound()],
  }))
  async resend(@CurrentInstance() { id }: Instance, @Param('webhookId') webhookId: string) {
    if (!(await this.letters.resend(id, webhookId))) throw webhookNotFound();
    return { resent: 1 };
  }
}
