import { Get, HttpCode, Param, Post } from '@nestjs/common';
import { type DeadLetterPage, deadLetterPage, isDeadLetterPlace, nameIn } from 'rookery/common';
import type { App } from '../app/app.js';
import { CurrentApp, Parameters } from '../access/signed-request.guard.js';
import { badRequest, webhookNotFound } from '../channels.errors.js';
import { ChannelsDeadLetters } from '../webhooks/channels-dead-letters.js';
import { ChannelsApi } from './channels-api.js';

/** api § Dead webhooks */
@ChannelsApi()
export class DeadLettersController {
  constructor(private readonly letters: ChannelsDeadLetters) {}

  @Get('webhooks/dead')
  async list(
    @CurrentApp() { id }: App,
    @Parameters() query: Readonly<Record<string, unknown>>,
  ): Promise<DeadLetterPage> {
    const after = placeIn(query['cursor']);
    const limit = limitOf(query['limit']);
    return deadLetterPage(await this.letters.list(id, after, limit + 1), limit);
  }

  @Post('webhooks/dead/resend')
  @HttpCode(200)
  async resendAll(@CurrentApp() { id }: App) {
    return { resent: await this.letters.resendAll(id) };
  }

  @Post('webhooks/dead/:webhookId/resend')
  @HttpCode(200)
  async resend(@CurrentApp() { id }: App, @Param('webhookId') webhookId: string) {
    if (!(await this.letters.resend(id, webhookId))) throw webhookNotFound();
    return { resent: 1 };
  }
}

const maxPage = 100;

function limitOf(limit: unknown): number {
  if (limit === undefined) return maxPage;
  const size = typeof limit === 'string' && /^\d+$/.test(limit) ? Number(limit) : 0;
  if (size < 1 || size > maxPage) throw badRequest(`limit must be a whole number from 1 to ${maxPage}`);
  return size;
}

function placeIn(cursor: unknown): string {
  if (cursor === undefined) return '';
  const place = typeof cursor === 'string' ? nameIn(cursor, isDeadLetterPlace) : undefined;
  if (place === undefined) throw badRequest('cursor must be the nextCursor of an earlier answer');
  return place;
}
