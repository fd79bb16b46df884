import { shared } from '#common';
import type { Wing } from '../wing.js';
import { MemoryReceiptRepository } from './memory-receipt.repository.js';
import { ReceiptPings } from './receipt-pings.js';
import { ReceiptRepository } from './receipt.repository.js';
import { ReceiptsController } from './receipts.controller.js';
import { ReceiptsPart } from './receipts.part.js';
import { ReceiptsService } from './receipts.service.js';
import { ReceiptsStep } from './receipts.step.js';
import { seenPayload } from './seen.activity.js';
import { SeenMessages } from './seen.message.js';

/** Servers learn which users have received an event, or have been shown it (docs/receipts.md). */
export const receipts = {
  ports: {
    /** Which users have received events. @default RedisModule's, or in memory, for one process */
    receiptRepository: shared(ReceiptRepository, MemoryReceiptRepository),
  },
  providers: [ReceiptsService, ReceiptPings],
  exports: [ReceiptsService],
  controllers: [ReceiptsController],
  paths: ['receipts'],
  attributes: { receipts: { type: 'string' } },
  step: ReceiptsStep,
  part: ReceiptsPart,
  messages: [SeenMessages],
  listened: { event_seen: seenPayload },
} satisfies Wing;
