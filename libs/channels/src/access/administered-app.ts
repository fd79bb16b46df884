import { type Administered, hidden, hide, hideCredentials, isObject } from '#common';
import { isValid } from '../protocol/credentials.js';
import { type App, type AppConfig, appFrom } from '../app/app.js';

/** An app as administrators see it: all settings, no secrets. */
export interface AdministeredApp extends Omit<App, 'secret' | 'keys'> {
  /** Its additional keys. */
  readonly keys: readonly string[];
  /** When some of them expire, by key. */
  readonly keysValidUntil: Readonly<Record<string, string>>;
  /** Until when its key's old secrets are valid, the latest first; null: until they are removed. */
  readonly oldSecretsValidUntil: readonly (string | null)[];
  readonly origin: 'configuration' | 'database';
  /** A change may name this version, to fail when another change came first; null for an app of the configuration. */
  readonly version: number | null;
}

/** Secrets and credentials in URLs are removed or replaced by `********`. */
export function administeredApp({ settings, origin, version }: Administered<AppConfig>): AdministeredApp {
  const { secret: _, keys, webhooks, encryptionMasterKeyBase64, ...shown } = appFrom(settings);
  const valid = keys.filter((each) => isValid(each));
  const others = valid.filter(({ key }) => key !== shown.key);
  // The latest of several secrets of a key replaces the earlier ones here.
  const ends = new Map(others.toReversed().map(({ key, validUntil }) => [key, validUntil] as const));
  return hideCredentials({
    ...hideSecrets(shown),
    keys: [...new Set(others.map(({ key }) => key))],
    keysValidUntil: Object.fromEntries([...ends].flatMap(([key, end]) => (end === undefined ? [] : [[key, end]]))),
    oldSecretsValidUntil: valid.filter(({ key }) => key === shown.key).map(({ validUntil }) => validUntil ?? null),
    encryptionMasterKeyBase64: hide(encryptionMasterKeyBase64),
    webhooks: webhooks.map(({ headers, ...webhook }) => ({
      ...webhook,
      ...(headers && { headers: withoutValues(headers) }),
    })),
    origin,
    version,
  });
}

/** Settings of features may have a secret of their own. */
const hideSecrets = <Shown extends object>(shown: Shown): Shown =>
  Object.fromEntries(
    Object.entries(shown).map(([name, value]: [string, unknown]) => [
      name,
      isObject(value) && value['secret'] !== undefined ? { ...value, secret: hidden } : value,
    ]),
  ) as Shown; // The fields are the same.

/** The values may be credentials for the endpoint. */
const withoutValues = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, hidden]));
