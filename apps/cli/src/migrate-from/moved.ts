/** The result of converting another server's configuration. */
export interface Moved {
  /** The content of Rookery's configuration file. */
  readonly file: {
    readonly apps: readonly MovedApp[];
    readonly channels?: Readonly<Record<string, unknown>>;
  };
  /** Environment variables, which are not part of the file. */
  readonly environment: Readonly<Record<string, string>>;
  /** Settings without a counterpart, or with a different meaning in Rookery. */
  readonly notes: readonly string[];
}

/** The app settings that other servers have too. */
export interface MovedApp {
  readonly id: string;
  readonly key: string;
  readonly secret: string;
  readonly [setting: string]: unknown;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A number above 0; other servers use -1 or nothing for no limit. */
export function limit(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

export const isYes = (value: unknown): boolean => [true, 'true', 1, '1'].includes(value as string);

/** Removes undefined fields, so that the file contains only what was set. */
export const said = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

/** Converts another server's id, key and secret. */
export function credentials(id: unknown, key: unknown, secret: unknown): Pick<MovedApp, 'id' | 'key' | 'secret'> {
  const text = (value: unknown, name: string): string => {
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    throw new Error(`There is an app without ${name}`);
  };
  return { id: text(id, 'an id'), key: text(key, 'a key'), secret: text(secret, 'a secret') };
}

/** A text or number that is set; `null` in a file of variables means unset, as in PHP. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' && value !== 'null' ? value : undefined;
}

export function redisUrl(host: unknown, port: unknown, password: unknown): string {
  const secret = textOf(password);
  const before = secret === undefined ? '' : `:${encodeURIComponent(secret)}@`;
  return `redis://${before}${textOf(host) ?? '127.0.0.1'}:${textOf(port) ?? '6379'}`;
}
