import { type Administered, hidden, hide, hideCredentials } from 'rookery/common';
import { type App, type AppConfig, appFrom } from './app.js';

/** An app as an administrator sees it: with all settings and no secrets. */
export interface AdministeredApp extends Omit<App, 'secret' | 'keys'> {
  /** Its further keys. */
  readonly keys: readonly string[];
  readonly origin: 'configuration' | 'database';
  /** What a change may name, so that no other comes in between; null for one of the configuration. */
  readonly version: number | null;
}

/** Secrets are left out, or stand there as `********`; so do credentials in URLs. */
export function administeredApp({ settings, origin, version }: Administered<AppConfig>): AdministeredApp {
  const { secret: _, keys, webhooks, encryptionMasterKeyBase64, twin, ...shown } = appFrom(settings);
  return hideCredentials({
    ...shown,
    keys: keys.map(({ key }) => key),
    encryptionMasterKeyBase64: hide(encryptionMasterKeyBase64),
    twin: twin && { ...twin, ...(twin.secret !== undefined && { secret: hidden }) },
    webhooks: webhooks.map(({ headers, ...webhook }) => ({
      ...webhook,
      ...(headers && { headers: withoutValues(headers) }),
    })),
    origin,
    version,
  });
}

/** They may be what the endpoint knows us by. */
const withoutValues = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, hidden]));
