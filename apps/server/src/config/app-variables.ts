import { App, type AppConfig } from 'rookery/channels';
import { settingsOf } from 'rookery/internal/common';
import { yesOrNo } from './yes-or-no.js';

type Environment = Readonly<Record<string, string | undefined>>;
type Settings = Partial<AppConfig>;
/** Reads the setting of a variable that is set. */
type Reader = (environment: Environment, name: string) => Settings;

const required = ['PUSHER_APP_ID', 'PUSHER_APP_KEY', 'PUSHER_APP_SECRET'] as const;
const webhookUrl = 'PUSHER_APP_WEBHOOK_URL';
const webhookEvents = 'PUSHER_APP_WEBHOOK_EVENTS';

// A text that is no number becomes NaN, which the rules of the setting refuse.
const numberIn = (environment: Environment, name: string): number => Number(environment[name]);

const listIn = (environment: Environment, name: string): readonly string[] =>
  (environment[name] ?? '').split(',').map((each) => each.trim());

const flag =
  (setting: 'clientEvents' | 'subscriptionCount'): Reader =>
  (environment, name) => ({ [setting]: yesOrNo(environment, name) });

const limit =
  (setting: keyof NonNullable<App['limits']>): Reader =>
  (environment, name) => ({ limits: { [setting]: numberIn(environment, name) } });

const optional: readonly (readonly [name: string, read: Reader])[] = [
  ['PUSHER_APP_CLIENT_EVENTS', flag('clientEvents')],
  ['PUSHER_APP_SUBSCRIPTION_COUNT', flag('subscriptionCount')],
  ['PUSHER_APP_ALLOWED_ORIGINS', (environment, name) => ({ allowedOrigins: listIn(environment, name) })],
  ['PUSHER_APP_MAX_CONNECTIONS', (environment, name) => ({ maxConnections: numberIn(environment, name) })],
  ['PUSHER_APP_CLIENT_EVENTS_PER_SECOND', limit('clientEventsPerSecond')],
  ['PUSHER_APP_TRIGGERS_PER_SECOND', limit('triggersPerSecond')],
  [webhookUrl, (environment, name) => ({ webhooks: [{ url: environment[name]! }] })],
  [
    webhookEvents,
    (environment, name) => {
      const url = environment[webhookUrl];
      if (!url) throw new Error(`${webhookUrl} must be set together with ${name}`);
      return { webhooks: [{ url, events: listIn(environment, name) }] };
    },
  ],
];

/** The app in `PUSHER_APP_ID` and the variables beside it. @throws Error naming the variable and what is expected */
export function appOfEnvironment(environment: Environment): readonly AppConfig[] {
  const given = optional.filter(([name]) => environment[name]);
  const [id, key, secret] = required.map((name) => environment[name] || undefined);
  if (id === undefined || key === undefined || secret === undefined) {
    const absent = required.filter((name) => !environment[name]);
    if (absent.length === required.length && given.length === 0) return [];
    throw new Error(`${absent.join(' and ')} must be set together with the other PUSHER_APP_ variables`);
  }
  let app: AppConfig = { id, key, secret };
  for (const [name, read] of given) {
    const { limits, ...settings } = read(environment, name);
    app = { ...app, ...settings, ...(limits && { limits: { ...app.limits, ...limits } }) };
    check(app, name);
  }
  return [app];
}

/** The variables before this one were in order. */
function check(app: AppConfig, name: string): void {
  try {
    settingsOf(App, app);
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}
