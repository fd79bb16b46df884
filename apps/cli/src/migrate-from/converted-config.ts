import type { OtherSettings } from './other-settings.js';

/** The result of converting another server's configuration. */
export interface ConvertedConfig {
  /** The content of Rookery's configuration file. */
  readonly file: {
    readonly apps: readonly ConvertedApp[];
    readonly channels?: Readonly<Record<string, unknown>>;
    readonly redis?: Readonly<Record<string, unknown>>;
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

/** Removes undefined fields, so that the file contains only what was set. */
export const withoutUndefined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

/** The same, or undefined if nothing was set. */
export function withoutUndefinedOrNone<T extends object>(fields: T): T | undefined {
  const set = withoutUndefined(fields);
  return Object.keys(set).length > 0 ? set : undefined;
}

/** Converts another server's id, key and secret. */
export function credentials(app: OtherSettings, idName: string): Pick<ConvertedApp, 'id' | 'key' | 'secret'> {
  const text = (name: string, what: string): string => {
    const value = app.text(name);
    if (value === undefined) throw new Error(`There is an app without ${what}`);
    return value;
  };
  return { id: text(idName, 'an id'), key: text('key', 'a key'), secret: text('secret', 'a secret') };
}

/** A path prefix as Rookery writes it: `/ws`. */
export function pathPrefix(path: string | undefined): string | undefined {
  const plain = path?.replace(/^\/+|\/+$/g, '');
  return plain ? `/${plain}` : undefined;
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
