import type { Case } from './case.js';
import { cases } from './cases/index.js';
import { asJson, asJunit, asMarkdown, asTable } from './report.js';
import { PushService } from './push-service.js';
import { judged, type Result } from './run.js';
import { Subject, type Target } from './subject.js';
import type { SuiteOptions } from './suite-options.js';
import { WebhookListener } from './webhooks.js';

const reports = { table: asTable, json: asJson, junit: asJunit, markdown: asMarkdown } as const;

/** The server that the options name; the suite adds what it listens on. */
export type AskedTarget = Pick<Target, 'url' | 'appId' | 'key' | 'secret' | 'push'>;

/** Why the suite could not run. */
export class NotJudged extends Error {}

/** The cases that the options select; none if no id begins with `only`. All of Channels has what every client needs. */
export const chosenCases = ({ only = '', profile: wanted }: Pick<SuiteOptions, 'only' | 'profile'>): readonly Case[] =>
  cases.filter(({ id, profile }) => id.startsWith(only) && profile.startsWith(wanted ?? ''));

/**
 * Judges a server, and listens for its webhooks meanwhile if the options name a port.
 * @throws NotJudged if it cannot listen where the options say
 */
export async function reportOn(
  target: AskedTarget,
  chosen: readonly Case[],
  options: SuiteOptions,
): Promise<{ readonly text: string; readonly hasFailed: boolean }> {
  const { webhookPort, pushService: pushUrl, patience, slow: isSlow = false, format } = options;
  const patienceMs = patience && patience * 1000;
  const webhooks = webhookPort === undefined ? undefined : await heard(WebhookListener.listen(webhookPort));
  const pushService = pushUrl === undefined ? undefined : await heard(PushService.listen(pushUrl), webhooks);
  const listeners = { ...(webhooks && { webhooks }), ...(pushService && { pushService }) };
  const results = await judged({ ...target, isSlow, ...listeners, ...(patienceMs && { patienceMs }) }, chosen).finally(
    () => Object.values(listeners).forEach((listener) => listener.close()),
  );
  const named = { name: options.name ?? target.url, on: new Date() };
  return { text: reports[format](results, named), hasFailed: results.some((result) => isFailure(result, options)) };
}

/** What listens; if it cannot, what listens already ends. */
const heard = <T>(listening: Promise<T>, before?: WebhookListener): Promise<T> =>
  listening.catch((error: Error) => {
    before?.close();
    throw new NotJudged(error.message);
  });

const isFailure = ({ outcome }: Result, { strict, skips }: SuiteOptions): boolean =>
  outcome === 'failed' ||
  (strict === true && (outcome === 'dialect' || outcome === 'wording')) ||
  (skips === false && outcome === 'skipped');

/** Why no case can be judged, in one line; undefined if the server answers and knows the app. */
export async function obstacleTo(
  target: AskedTarget,
  chosen: readonly Case[],
  { patience }: SuiteOptions,
): Promise<string | undefined> {
  if (chosen.every(({ profile }) => profile === 'beams')) return undefined;
  const subject = new Subject({ ...target, ...(patience && { patienceMs: patience * 1000 }) });
  try {
    const { status, text } = await subject.ask('GET', '/channels');
    if (status === 401 || status === 403)
      return `${target.url} refuses the key and the secret of app ${target.appId}: ${status} ${text.slice(0, 200)}`;
    if (status === 404) return `${target.url} knows no app ${target.appId}: ${status} ${text.slice(0, 200)}`;
    return undefined;
  } catch (error) {
    const { cause, message } = error as Error;
    return `${target.url} does not answer: ${(cause as Error | undefined)?.message || message}`;
  }
}
