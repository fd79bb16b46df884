import type { Overview } from '../../../console/src/api/contract.js';
import { chosen } from './app-options.js';
import { ConsoleApi, type ConsoleOptions } from './console-api.js';

/** Selects an app or a push instance in a server's console. */
export interface OwnerOptions extends ConsoleOptions {
  readonly app?: string;
  readonly instance?: string;
}

/** The console's API, and the path of an app or push instance in it. */
export interface ConsoleOwner {
  readonly api: ConsoleApi;
  readonly path: string;
}

/** The app that the options select, or the server's only one. @throws Fault or WrongUse */
export const appInConsole = (options: OwnerOptions): Promise<ConsoleOwner> => ownerOf('apps', '--app', options);

/** The push instance that the options select, or the server's only one. @throws Fault or WrongUse */
export const instanceInConsole = (options: OwnerOptions): Promise<ConsoleOwner> =>
  ownerOf('instances', '--instance', options);

async function ownerOf(all: 'apps' | 'instances', option: string, options: OwnerOptions): Promise<ConsoleOwner> {
  const api = await ConsoleApi.of(options);
  const asked = all === 'apps' ? options.app : options.instance;
  const { unlisted, ...known } = await api.ask<Overview>('GET', 'overview');
  // An application's own repository may know more than it can list.
  const id =
    asked !== undefined && unlisted.includes(all)
      ? asked
      : chosen<{ readonly id: string }>(known[all], asked, option).id;
  return { api, path: `${all}/${encodeURIComponent(id)}` };
}
