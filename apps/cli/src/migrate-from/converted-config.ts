import type { OtherSettings } from './other-settings.js';
import { isObject, text } from './values.js';

/** The result of converting another server's configuration. */
export interface ConvertedConfig {
  /** The content of Rookery's configuration file. */
  readonly file: {
    readonly apps: readonly ConvertedApp[];
    readonly channels?: Fields | undefined;
    readonly redis?: Fields | undefined;
  };
  /** Environment variables, which are not part of the file. */
  readonly environment: Readonly<Record<string, string>>;
  /** Settings without a counterpart, or with a different meaning in Rookery. */
  readonly notes: readonly string[];
}

/** The app settings that other servers have too. */
export interface ConvertedApp {
  readonly id: string;
  readonly key: string;
  readonly secret: string;
  readonly [setting: string]: unknown;
}

export type Fields = Readonly<Record<string, unknown>>;

/**
 * The result, once everything is read: without what was not set, and with a note for each setting that was not converted.
 * @param reasons why settings have no counterpart, by the paths that they are at or below
 */
export function convertedConfig(
  settings: OtherSettings,
  { file, environment, notes }: Omit<ConvertedConfig, 'environment'> & { readonly environment: Fields },
  reasons: Readonly<Record<string, string>>,
): ConvertedConfig {
  const explained = Object.entries(reasons).flatMap(([path, reason]) => settings.explain(path, reason));
  return {
    file: onlySet(file),
    environment: onlySet(environment) as ConvertedConfig['environment'],
    notes: [...notes, ...explained, ...settings.rest()],
  };
}

function onlySet<T>(value: T): T {
  if (Array.isArray(value)) return value.map(onlySet) as T;
  if (!isObject(value)) return value;
  const set = Object.entries(value)
    .map(([name, each]) => [name, onlySet(each)] as const)
    .filter(([, each]) => each !== undefined);
  return (set.length > 0 ? Object.fromEntries(set) : undefined) as T;
}

/** Converts another server's id, key and secret. */
export function credentials(app: OtherSettings, idName: string): Pick<ConvertedApp, 'id' | 'key' | 'secret'> {
  const read = (name: string, what: string): string => {
    const value = app.read(name, text);
    if (value === undefined) throw new Error(`There is an app without ${what}`);
    return value;
  };
  return { id: read(idName, 'an id'), key: read('key', 'a key'), secret: read('secret', 'a secret') };
}

/** What our limits are by default. */
export const defaults = { eventDataBytes: 10_240, requestBytes: 1_048_576, messageBytes: 131_072 } as const;

/** A limit that must be raised, or undefined if the default is enough. */
export const raised = (limit: keyof typeof defaults, needed: number): number | undefined =>
  needed > defaults[limit] ? needed : undefined;

/** The bytes of a request or a message that carries an event: the rest of it needs room, too. */
export const withRoom = (eventDataBytes = 0): number => eventDataBytes + 1024;

export const withPassphrase =
  'Rookery reads a key without a passphrase: write one with "openssl pkey -in key.pem -out plain.pem"';
