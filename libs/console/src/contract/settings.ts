/** An app or a push instance. Besides the credentials, its settings have the same form as in the configuration. */
export interface Administered {
  readonly id: string;
  /** A change names it, to fail if another change came first; null for one of the configuration. */
  readonly version: number | null;
  /** An app's key, or the name of an instance's secret key. */
  readonly key: string;
  readonly keys: readonly string[];
  readonly keysValidUntil: Readonly<Record<string, string>>;
  /** Of an app's current key; null: until they are removed. */
  readonly oldSecretsValidUntil?: readonly (string | null)[];
  readonly origin: 'configuration' | 'database';
  readonly enabled: boolean;
  readonly [setting: string]: unknown;
}

/** How the keys of an app are used, in all processes. */
export interface KeyUses {
  /** Since when all processes know it: the latest start of one. */
  readonly since: number;
  /** How many processes did not answer. */
  readonly missing: number;
  readonly keys: Readonly<Record<string, KeyUse>>;
}

export interface KeyUse {
  /** Open connections that came with it. */
  readonly connections: number;
  /** The last signed request or new connection; null: none since a process started. */
  readonly usedAt: number | null;
}

/** The JSON schema of a setting. */
export interface SettingSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: SettingSchema;
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SettingSchema;
  readonly anyOf?: readonly SettingSchema[];
  readonly default?: string | number | boolean | null;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** The apps or the instances, with the schemas of their settings. */
export type AllAdministered = Readonly<Partial<Record<'apps' | 'instances', readonly Administered[]>>> & {
  readonly schema: Readonly<Record<string, SettingSchema>>;
};
