import type { WebhookDelivery } from './webhook-delivery.js';

/** A webhook that was given up: its last try failed, or no try could do better. */
export interface DeadLetter {
  readonly delivery: WebhookDelivery;
  /** Epoch milliseconds. */
  readonly diedAt: number;
  /** Why the last try failed, in words. */
  readonly reason: string;
}

/** How many dead letters are kept, and for how long. */
export interface DeadLetterLimits {
  /** Of one owner; beyond it the oldest go. 0: none is kept. */
  readonly most: number;
  /** In milliseconds. */
  readonly keepMs: number;
}

/** What a dead letter gets when it is sent again: the tries of a new one. */
export type FreshTries = Pick<WebhookDelivery, 'dueAt' | 'retryDelaysMs' | 'expiresAt'>;

/** A text by which dead letters are in order: by when they died, then by id. */
export const deadLetterPlace = ({ diedAt, delivery }: DeadLetter): string => placeOf(diedAt, delivery.id);

/** The same of one that died then; without an id, it stands before all of that time. */
export const placeOf = (diedAt: number, id = ''): string => `${String(diedAt).padStart(15, '0')} ${id}`;

export const isDeadLetterPlace = (text: string): boolean => /^\d{15} [\w-]+$/.test(text);
