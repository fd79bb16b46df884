import { credentials, type ConvertedApp, withoutUndefined, withoutUndefinedOrNone } from './converted-config.js';
import type { OtherSettings } from './other-settings.js';
import { type SoketiLimits, soketiLimitsOf } from './soketi-limits.js';
import { soketiWebhooks } from './soketi-webhooks.js';

/** What soketi sets for all apps, and Rookery for each. */
export interface ForEachApp {
  /** Only for apps whose users must sign in. */
  signInSeconds(): number;
  readonly batchWebhooks: true | undefined;
}

export interface SoketiApp {
  readonly app: ConvertedApp;
  readonly limits: SoketiLimits;
  readonly notes: readonly string[];
}

export function soketiApp(settings: OtherSettings, forEach: ForEachApp): SoketiApp {
  const named = credentials(settings, 'id');
  const notes: string[] = [];
  const note = (text: string): void => void notes.push(`App ${named.id}: ${text}`);
  const limits = soketiLimitsOf(settings);
  const webhooks = soketiWebhooks(settings, note);
  const clientEvents = settings.isYes('enableClientMessages') || undefined;
  const signsIn = settings.isYes('enableUserAuthentication');
  if (settings.limit('maxReadRequestsPerSecond') !== undefined)
    note('Rookery has no limit for reads over HTTP (maxReadRequestsPerSecond)');
  if (clientEvents && limits.own['clientEventsPerSecond'] === undefined)
    note('a connection may send 10 client events a second here: limits.clientEventsPerSecond allows more');
  if (signsIn) note(signingIn);
  for (const each of limits.notes) note(each);
  const app = {
    ...named,
    ...withoutUndefined({
      enabled: settings.isYes('enabled') === false ? false : undefined,
      clientEvents,
      maxConnections: settings.limit('maxConnections'),
      authorizationTimeoutSeconds: signsIn ? forEach.signInSeconds() : undefined,
      limits: withoutUndefinedOrNone(limits.own),
      batchWebhooks: webhooks && forEach.batchWebhooks,
      webhooks,
    }),
  };
  return { app, limits, notes };
}

const signingIn =
  'the id of a user who signs in must be a string here, while soketi also accepts a number: have your endpoint for user ' +
  'authentication sign {"id":"7"} instead of {"id":7}. A connection that joins a private or presence channel in time may ' +
  'stay without signing in (authorizationTimeoutSeconds)';

/** The names of a setting of an app in soketi's files, in DynamoDB, and in the columns of MySQL and PostgreSQL. */
export function soketiSpellings(name: string): readonly string[] {
  const pascal = name[0]!.toUpperCase() + name.slice(1);
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const isCredential = ['id', 'key', 'secret'].includes(name);
  return [...new Set([name, isCredential ? `App${pascal}` : pascal, columns[name] ?? snake])];
}

const columns: Readonly<Record<string, string>> = {
  maxBackendEventsPerSecond: 'max_backend_events_per_sec',
  maxClientEventsPerSecond: 'max_client_events_per_sec',
  maxReadRequestsPerSecond: 'max_read_req_per_sec',
};
