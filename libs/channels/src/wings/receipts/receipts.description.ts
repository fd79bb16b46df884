import { describing } from '#http';
import { signedOperation } from '../../access/signed-operation.js';
import type { WingDescription } from '../wing.js';
import { receiptsNotFound } from './receipts.errors.js';

const { answer, inPath, listOf, may, shape, text } = describing;

/** api § Receipts, and the attribute that asks for them. */
export const receiptsDescription = (): WingDescription => ({
  attributes: { receipts: text },
  paths: {
    '/apps/{appId}/receipts/{receipt}': {
      get: signedOperation(
        {
          summary: 'The users that have received an event, ordered by their ids',
          parameters: [
            inPath('receipt', 'As the trigger answered it to `info=receipts`'),
            may('limit', 'The maximum number', { type: 'integer', minimum: 1, maximum: 1000, default: 100 }),
            may('after', 'The last user of the page before'),
          ],
          responses: {
            200: answer(
              'When a client of each had received the event, and a page reported that it has shown it',
              shape({ receipts: listOf(shape({ user_id: text, received_at: text }, { shown_at: text })) }),
              { receipts: [{ user_id: 'alice', received_at: '2026-01-01T12:00:00.000Z' }] },
            ),
          },
        },
        [receiptsNotFound()],
      ),
    },
  },
});
