import type { BeamsOptions } from 'rookery/server';
import { print } from '../output.js';
import { askInstance } from './instance-api.js';

/** The fields read from the state of a publish (docs/push.md). */
export interface PublishState {
  readonly publishId: string;
  readonly state: string;
  readonly publishAt?: string;
  readonly platforms: Readonly<Record<string, Platform>>;
}
interface Platform {
  readonly audience: number;
  readonly sent: number;
  readonly failed: Readonly<Record<string, number>>;
  readonly retrying: number;
  readonly fault?: string;
}

/** Reads the state of a publish, or cancels it. @throws Fault */
export const publishState = (
  instance: BeamsOptions,
  publishId: string,
  method: 'GET' | 'DELETE' = 'GET',
): Promise<PublishState> => {
  const path = `publish_api/v1/instances/${instance.instanceId}/publishes/${encodeURIComponent(publishId)}`;
  return askInstance<PublishState>(instance, path, method);
};

/** One line, and one for each platform. */
export function printState({ publishId, state, publishAt, platforms }: PublishState): void {
  print(`${publishId} is ${state}${state === 'scheduled' && publishAt ? ` for ${publishAt}` : ''}`);
  for (const [platform, counts] of Object.entries(platforms)) print(`${platform}: ${countsText(counts)}`);
}

function countsText({ audience, sent, failed, retrying, fault }: Platform): string {
  const failures = Object.entries(failed).map(([reason, count]) => `, ${count} failed: ${reason}`);
  const waiting = retrying > 0 ? `, ${retrying} waiting to be tried again` : '';
  return `${sent} of ${audience} sent${waiting}${failures.join('')}${fault === undefined ? '' : `; ${fault}`}`;
}
