import { type ConvertedApp, credentials } from './converted-config.js';
import type { OtherSettings, Row } from './other-settings.js';
import { overriddenBy } from './soketi-limits.js';
import { soketiWebhooks } from './soketi-webhooks.js';
import { amount, type Convert, wholeNumber, yes } from './values.js';

/** What soketi sets for all apps, and Rookery for each. */
export interface ForEachApp {
  /** Only for apps whose users must sign in. */
  signInSeconds(): number;
  readonly batchWebhooks: true | undefined;
}

const ifYes =
  <T>(answer: () => T): Convert<T> =>
  (value) =>
    yes(value) ? answer() : yes(value) === false ? null : undefined;

const table = (signInSeconds: () => number): readonly Row[] => [
  { path: 'enabled', to: 'enabled', convert: yes, unless: true },
  { path: 'enableClientMessages', to: 'clientEvents', convert: yes, unless: false },
  { path: 'maxConnections', to: 'maxConnections', convert: wholeNumber },
  { path: 'enableUserAuthentication', to: 'authorizationTimeoutSeconds', convert: ifYes(signInSeconds) },
  { path: 'maxBackendEventsPerSecond', to: 'limits.triggersPerSecond', convert: wholeNumber },
  { path: 'maxClientEventsPerSecond', to: 'limits.clientEventsPerSecond', convert: wholeNumber },
  { path: 'maxPresenceMembersPerChannel', to: 'limits.presenceMembers', convert: wholeNumber },
  { path: 'maxEventPayloadInKb', to: 'limits.eventDataBytes', convert: amount(1024) },
];

export function soketiApp(settings: OtherSettings, forEach: ForEachApp) {
  const named = credentials(settings, 'id');
  const notes: string[] = [];
  const note = (text: string): void => void notes.push(`App ${named.id}: ${text}`);
  const webhooks = soketiWebhooks(settings, note);
  const own = settings.convert(table(forEach.signInSeconds));
  const limits = own['limits'] as Readonly<Record<string, number | undefined>>;
  if (settings.read('maxReadRequestsPerSecond', wholeNumber) !== undefined)
    note('Rookery has no limit for reads over HTTP (maxReadRequestsPerSecond)');
  if (own['clientEvents'] && limits['clientEventsPerSecond'] === undefined)
    note('a connection may send 10 client events a second here: limits.clientEventsPerSecond allows more');
  if (own['authorizationTimeoutSeconds'] !== undefined) note(signingIn);
  const overridden = overriddenBy(settings, note);
  const app: ConvertedApp = { ...named, ...own, batchWebhooks: webhooks && forEach.batchWebhooks, webhooks };
  return { app, eventDataBytes: limits['eventDataBytes'], overridden, notes };
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
