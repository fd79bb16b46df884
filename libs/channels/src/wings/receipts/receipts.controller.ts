import { Get, Param } from '@nestjs/common';
import { CurrentApp, Parameters } from '../../access/signed-request.guard.js';
import type { App } from '../../app/app.js';
import { type EventReceipts, ReceiptsService } from './receipts.service.js';
import { ChannelsApi } from '../../access/channels-api.js';

interface PageQuery {
  readonly limit?: string;
  readonly after?: string;
}

/** api § Receipts */
@ChannelsApi()
export class ReceiptsController {
  constructor(private readonly receipts: ReceiptsService) {}

  @Get('receipts/:receipt')
  find(
    @CurrentApp() app: App,
    @Param('receipt') receipt: string,
    @Parameters() query: PageQuery,
  ): Promise<EventReceipts> {
    return this.receipts.find(app, receipt, query);
  }
}
