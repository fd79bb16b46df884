import { type Administered, hidden, hideCredentials } from '#common';
import type { Instance, WebCredentials } from '../instance.js';
import { keyName, validFurtherKeys } from './secret-keys.js';

/** An instance as an administrator sees it: all settings, `null` for unset ones, and no secrets. */
export interface AdministeredInstance extends Readonly<Record<string, unknown>> {
  readonly id: string;
  /** The name of its secret key: see `keyName`. */
  readonly key: string;
  /** The names of its additional keys. */
  readonly keys: readonly string[];
  /** When some of them expire, by name. */
  readonly keysValidUntil: Readonly<Record<string, string>>;
  readonly enabled: boolean;
  readonly origin: 'configuration' | 'database';
  /** Pass it with a change to detect concurrent ones; null for an instance from the configuration. */
  readonly version: number | null;
}

/** Secrets are omitted or shown as `********`, as are credentials in URLs. */
export function administeredInstance({ settings, origin, version }: Administered<Instance>): AdministeredInstance {
  const {
    id,
    name,
    secretKey,
    secretKeysValidUntil = {},
    enabled = true,
    apns,
    fcm,
    web,
    webhooks,
    publishesPerSecond,
  } = settings;
  return hideCredentials({
    id,
    key: keyName(secretKey),
    keys: validFurtherKeys(settings).map(keyName),
    keysValidUntil: secretKeysValidUntil,
    enabled,
    name: name ?? null,
    apns: apns ? { ...apns, key: hidden } : null,
    fcm: fcm ? { ...fcm, serviceAccount: { ...fcm.serviceAccount, private_key: hidden } } : null,
    web: web ? webWithoutSecrets(web) : null,
    webhooks: webhooks?.map((webhook) => ({ ...webhook, secret: hidden })) ?? null,
    publishesPerSecond: publishesPerSecond ?? null,
    origin,
    version,
  });
}

const webWithoutSecrets = ({ previous, ...web }: WebCredentials): WebCredentials => ({
  ...web,
  vapidPrivateKey: hidden,
  ...(previous && { previous: previous.map((pair) => ({ ...pair, vapidPrivateKey: hidden })) }),
});
