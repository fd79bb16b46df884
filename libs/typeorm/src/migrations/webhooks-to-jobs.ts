import { jobOf, type WebhookDelivery } from '#common';
import type { Rows } from './rows.js';

interface WebhookRow {
  readonly [column: string]: unknown;
  readonly id: string;
  readonly queue: string;
  readonly delivery: string;
}

/** Webhooks, waiting or dead, keep their order and leases. */
export async function webhooksToJobs(rows: Rows): Promise<void> {
  await rows.move<WebhookRow>('rookery_webhooks', 'id', ({ free_at, claim_id, position, ...row }) => ({
    rookery_jobs: { ...jobRow(row), free_at, claim_id, position },
  }));
  await rows.move<WebhookRow>('rookery_dead_webhooks', 'id', ({ place, died_at, reason, ...row }) => ({
    rookery_dead_jobs: { ...jobRow(row), place, died_at, reason },
  }));
}

function jobRow({ queue, delivery }: Pick<WebhookRow, 'queue' | 'delivery'>) {
  const { dueAt, data, state, ...job } = jobOf(JSON.parse(delivery) as WebhookDelivery);
  return { queue, ...job, due_at: dueAt, data: JSON.stringify(data), state: JSON.stringify(state) };
}
