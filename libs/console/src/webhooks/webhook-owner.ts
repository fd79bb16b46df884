import type { DeadLettersService, TestedWebhook } from '#webhooks';
import type { WebhookEndpoint } from '../contract/index.js';

/** An app or a push instance, as the owner of webhooks. */
export interface WebhookOwner {
  readonly id: string;
  /** Its name in the trace: an app and an instance may have the same id. */
  readonly traced: string;
  readonly letters: DeadLettersService;
  readonly endpoints: readonly TestableEndpoint[];
}

export interface TestableEndpoint extends WebhookEndpoint {
  test(): Promise<TestedWebhook>;
}

/** A push instance's name in the trace; no app has a slash in its id. */
export const tracedInstance = (id: string): string => `instance/${id}`;
