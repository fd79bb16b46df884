import { type Administered, hidden, hide, hideCredentials } from '#common';
import { isValid } from '../protocol/credentials.js';
import { type App, type AppConfig, appFrom } from '../app/app.js';

/** An app as administrators see it: all settings, no secrets. */
export interface AdministeredApp extends Omit<App, 'secret' | 'keys'> {
  /** Its additional keys. */
  readonly keys: readonly string[];
  /** When some of them expire, by key. */
  readonly keysValidUntil: Readonly<Record<string, string>>;
  readonly origin: 'configuration' | 'database';
  /** A change may name this version, to fail when another change came first; null for an app of the configuration. */
  readonly version: number | null;
}

/** Secrets and credentials in URLs are removed or replaced by `********`. */
export function administeredApp({ settings, origin, version }: Administered<AppConfig>): AdministeredApp {
  const { secret: _, keys, webhooks, encryptionMasterKeyBase64, mirror, ...shown } = appFrom(settings);
  return hideCredentials({
    ...shown,
    keys: keys.filter((each) => isValid(each)).map(({ key }) => key),
    keysValidUntil: Object.fromEntries(keys.flatMap(({ key, validUntil }) => (validUntil ? [[key, validUntil]] : []))),
    encryptionMasterKeyBase64: hide(encryptionMasterKeyBase64),
    mirror: mirror && { ...mirror, ...(mirror.secret !== undefined && { secret: hidden }) },
    webhooks: webhooks.map(({ headers, ...webhook }) => ({
      ...webhook,
      ...(headers && { headers: withoutValues(headers) }),
    })),
    origin,
    version,
  });
}

/** The values may be credentials for the endpoint. */
const withoutValues = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, hidden]));
