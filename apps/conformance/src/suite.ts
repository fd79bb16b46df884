import type { Case } from './case.js';
import { cases } from './cases/index.js';
import { asJson, asJunit, asTable } from './report.js';
import { judged } from './run.js';
import type { Target } from './subject.js';
import type { SuiteOptions } from './suite-options.js';
import { WebhookListener } from './webhooks.js';

const reports = { table: asTable, json: asJson, junit: asJunit } as const;

/** The cases that the options select; none if no id begins with `only`. */
export const chosenCases = ({ only = '', profile: wanted }: SuiteOptions): readonly Case[] =>
  cases.filter(({ id, profile }) => id.startsWith(only) && (!wanted || profile === wanted));

/** Judges a server, and listens for its webhooks meanwhile if the options name a port. */
export async function reportOn(
  target: Omit<Target, 'webhooks'>,
  chosen: readonly Case[],
  { webhookPort, format }: SuiteOptions,
): Promise<{ readonly text: string; readonly hasFailed: boolean }> {
  const webhooks = webhookPort === undefined ? undefined : await WebhookListener.listen(webhookPort);
  const results = await judged({ ...target, ...(webhooks && { webhooks }) }, chosen).finally(() => webhooks?.close());
  return { text: reports[format](results), hasFailed: results.some(({ outcome }) => outcome === 'failed') };
}
