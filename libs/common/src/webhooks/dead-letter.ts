import { type DeadJob, type Death, deadPlace } from 'rookery/jobs';
import { deliveryOf, type WebhookDelivery } from './webhook-delivery.js';

/** A webhook that was given up: its last try failed, or no other try could do better. */
export interface DeadLetter extends Death {
  readonly delivery: WebhookDelivery;
}

/** What a dead letter gets when it is sent again: the tries of a new one. */
export type FreshTries = Pick<WebhookDelivery, 'dueAt' | 'retryDelaysMs' | 'expiresAt'>;

export const deadLetterOf = ({ job, ...death }: DeadJob): DeadLetter => ({ ...death, delivery: deliveryOf(job) });

/** A text by which dead letters are in order: by when they died, then by id. */
export const deadLetterPlace = ({ diedAt, delivery }: DeadLetter): string => deadPlace(diedAt, delivery.id);

export const isDeadLetterPlace = (text: string): boolean => /^\d{15} [\w-]+$/.test(text);
