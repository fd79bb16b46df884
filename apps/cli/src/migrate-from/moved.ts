/** What is made of another server's configuration. */
export interface Moved {
  /** Of Rookery's configuration file. */
  readonly file: {
    readonly apps: readonly MovedApp[];
    readonly channels?: Readonly<Record<string, unknown>>;
  };
  /** Variables of the environment, which are not in the file. */
  readonly environment: Readonly<Record<string, string>>;
  /** What has no counterpart, or means something else here. */
  readonly notes: readonly string[];
}

/** Of the settings of an app, those that others have too. */
export interface MovedApp {
  readonly id: string;
  readonly key: string;
  readonly secret: string;
  readonly [setting: string]: unknown;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A number above 0; elsewhere -1 or nothing says that there is no limit. */
export function limit(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

export const isYes = (value: unknown): boolean => [true, 'true', 1, '1'].includes(value as string);

/** Without what is undefined, so that the file says only what was said. */
export const said = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

/** What another server calls id, key and secret. */
export function credentials(id: unknown, key: unknown, secret: unknown): Pick<MovedApp, 'id' | 'key' | 'secret'> {
  const text = (value: unknown, name: string): string => {
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    throw new Error(`There is an app without ${name}`);
  };
  return { id: text(id, 'an id'), key: text(key, 'a key'), secret: text(secret, 'a secret') };
}

/** A text or a number that was said; PHP's nothing is `null` in a file of variables. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' && value !== 'null' ? value : undefined;
}

export function redisUrl(host: unknown, port: unknown, password: unknown): string {
  const secret = textOf(password);
  const before = secret === undefined ? '' : `:${encodeURIComponent(secret)}@`;
  return `redis://${before}${textOf(host) ?? '127.0.0.1'}:${textOf(port) ?? '6379'}`;
}
