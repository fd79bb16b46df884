import { Get, Param } from '@nestjs/common';
import { describing } from '#http';
import { CurrentApp, Parameters } from '../../access/signed-request.guard.js';
import type { App } from '../../app/app.js';
import { type EventReceipts, ReceiptsService } from './receipts.service.js';
import { ChannelsApi } from '../../access/channels-api.js';
import { Signed } from '../../access/signed-operation.js';
import { receiptsNotFound } from './receipts.errors.js';

const { answer, inPath, listOf, may, shape, text } = describing;

interface PageQuery {
  readonly limit?: string;
  readonly after?: string;
}

/** api § Receipts */
@ChannelsApi()
export class ReceiptsController {
  constructor(private readonly receipts: ReceiptsService) {}

  @Get('receipts/:receipt')
  @Signed('The users that have received an event, ordered by their ids', () => ({
    parameters: [
      inPath('receipt', 'As the trigger answered it to `info=receipts`'),
      may('limit', 'The maximum number', { type: 'integer', minimum: 1, maximum: 1000, default: 100 }),
      may('after', 'The last user of the page before'),
    ],
    answers: answer(
      'When a client of each had received the event, and a page reported that it has shown it',
      shape({ receipts: listOf(shape({ user_id: text, received_at: text }, { shown_at: text })) }),
      { receipts: [{ user_id: 'alice', received_at: '2026-01-01T12:00:00.000Z' }] },
    ),
    refuses: [receiptsNotFound()],
  }))
  find(
    @CurrentApp() app: App,
    @Param('receipt') receipt: string,
    @Parameters() query: PageQuery,
  ): Promise<EventReceipts> {
    return this.receipts.find(app, receipt, query);
  }
}
