import type { BeamsOptions } from '@rookery/client/server';
import { type Style, styled } from '../colour.js';
import { print, printText } from '../output.js';
import { visible } from '../../../server/src/visible-text.js';
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
  readonly retryAt?: string;
  readonly fault?: string;
  readonly explanations?: readonly Explanation[];
}
interface Explanation {
  readonly reason: string;
  readonly devices: number;
  readonly meaning: string;
  readonly action: string;
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

/** How far it is, in one line. */
export const progressOf = (publish: PublishState): string =>
  [
    stateText(publish),
    ...Object.entries(publish.platforms).map(([platform, counts]) => `${platform}: ${countsText(counts)}`),
  ].join(', ');

/** One line, one for each platform, and one for each reason why devices failed or wait. */
export function printState(publish: PublishState): void {
  const state = styled(styleOfState(publish), visible(stateText(publish)));
  printText(`${visible(publish.publishId)} is ${state}`);
  for (const [platform, counts] of Object.entries(publish.platforms)) {
    print(`${platform}: ${countsText(counts)}`);
    for (const { reason, devices, meaning, action } of counts.explanations ?? [])
      print(`  ${devices} × ${reason}: ${meaning} ${action}`);
  }
}

/** Whether it has ended and no device got it, though it had some. */
export function hasFailed({ platforms }: PublishState): boolean {
  const all = Object.values(platforms);
  return all.some(({ audience }) => audience > 0) && all.every(({ sent }) => sent === 0);
}

function styleOfState(publish: PublishState): Style | undefined {
  if (hasFailed(publish) && publish.state === 'finished') return 'red';
  return ({ finished: 'green', scheduled: 'yellow', sending: 'cyan' } as Readonly<Record<string, Style>>)[
    publish.state
  ];
}

const stateText = ({ state, publishAt }: PublishState): string =>
  state === 'scheduled' && publishAt ? `${state} for ${publishAt}` : state;

function countsText({ audience, sent, failed, retrying, retryAt, fault, explanations = [] }: Platform): string {
  const failures = Object.entries(failed).map(([reason, count]) => `, ${count} failed: ${reason}`);
  const why = explanations.find(({ reason }) => failed[reason] === undefined)?.reason;
  const next = retryAt === undefined ? '' : ` (next attempt at ${retryAt})`;
  const again = `, ${retrying} retrying${next}${why === undefined ? '' : `: ${why}`}`;
  const waiting = retrying > 0 ? again : '';
  return `${sent} of ${audience} sent${waiting}${failures.join('')}${fault === undefined ? '' : `; ${fault}`}`;
}
