import { type Command, InvalidArgumentError } from 'commander';
import type { ChannelsOptions } from '@rookery/client/server';
import { WrongUse } from '../fault.js';
import { configuration, urlOf } from './configuration.js';

/** Selects an app and its server. */
export interface AppOptions {
  readonly url?: string;
  readonly app?: string;
  readonly key?: string;
  readonly secret?: string;
}

/** An app of a server, and the path of its sockets. */
export interface ServedApp extends ChannelsOptions {
  /** The path before `/app/<key>`. */
  readonly socketPath: string;
}

/** Adds the options that select an app of a server. */
export const withAppOptions = (command: Command): Command =>
  withUrlOption(command)
    .option(...appOption)
    .option('--key <key>', 'its key')
    .option('--secret <secret>', 'its secret');

export const appOption = ['--app <id>', 'id of the app (default: the only configured app)'] as const;

export const withUrlOption = (command: Command): Command =>
  command.option('--url <url>', 'URL of the server (default: from HOST and PORT)', webAddress);

/** Parses an option's URL. */
export function webAddress(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('It must be a URL such as https://push.example.com');
}

/** The app that the options select; omitted options are read from the server's configuration. */
export async function appOf({ url, app: appId, key, secret }: AppOptions): Promise<ServedApp> {
  if (url && appId && key && secret) return { url, appId, key, secret, socketPath: '' };
  if ((key === undefined) !== (secret === undefined)) throw new WrongUse('--key and --secret must be used together');
  const config = await configuration();
  const app = chosen(config.apps, appId, '--app');
  return {
    url: url ?? urlOf(config),
    appId: app.id,
    key: key ?? app.key,
    secret: secret ?? app.secret,
    encryptionMasterKeyBase64: app.encryptionMasterKeyBase64 ?? undefined,
    socketPath: config.channels.path ?? '',
  };
}

/** The item with that id, or the only item. */
export function chosen<T extends { readonly id: string }>(
  all: readonly T[],
  id: string | undefined,
  option: string,
): T {
  const found = id === undefined ? all[0] : all.find((each) => each.id === id);
  if (found && (id !== undefined || all.length === 1)) return found;
  const known = all.length > 0 ? `there are ${all.map((each) => each.id).join(', ')}` : 'none is configured';
  throw new WrongUse(
    id === undefined ? `Select one with ${option}: ${known}` : `${option} ${id} is not configured: ${known}`,
  );
}
