import { type DeadJob, type Death, deadPlace } from 'rookery/jobs';
import { deliveryOf, type WebhookDelivery } from './webhook-delivery.js';

/** A webhook that was given up: its last try failed, or further tries could not succeed. */
export interface DeadLetter extends Death {
  readonly delivery: WebhookDelivery;
}

/** What a resent dead letter gets: the same tries as a new webhook. */
export type FreshTries = Pick<WebhookDelivery, 'retryDelaysMs' | 'expiresAt'>;

export const deadLetterOf = ({ job, ...death }: DeadJob): DeadLetter => ({ ...death, delivery: deliveryOf(job) });

/** The sort key of a dead letter: time of death, then id. */
export const deadLetterCursor = ({ diedAt, delivery }: DeadLetter): string => deadPlace(diedAt, delivery.id);

export const isDeadLetterCursor = (text: string): boolean => /^\d{15} [\w-]+$/.test(text);
