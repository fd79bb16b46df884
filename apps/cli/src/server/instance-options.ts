import type { Command } from 'commander';
import type { BeamsOptions } from '@rookery/client/server';
import { WrongUse } from '../fault.js';
import { chosen, withUrlOption } from './app-options.js';
import { configuration, urlOf } from './configuration.js';

/** Selects a push instance and its server. */
export interface InstanceOptions {
  readonly url?: string;
  readonly instance?: string;
  readonly secretKey?: string;
}

/** Adds the options that select a push instance of a server. */
export const withInstanceOptions = (command: Command): Command =>
  withUrlOption(command)
    .option(...instanceOption)
    .option('--secret-key <key>', 'its secret key');

export const instanceOption = [
  '--instance <id>',
  'id of the push instance (default: the only configured instance)',
] as const;

/** The instance that the options select; omitted options are read from the server's configuration. */
export async function instanceOf({ url, instance: instanceId, secretKey }: InstanceOptions): Promise<BeamsOptions> {
  if (url && instanceId && secretKey) return { url, instanceId, secretKey };
  if (secretKey !== undefined && instanceId === undefined) throw new WrongUse('--secret-key needs --instance');
  const config = await configuration();
  if (instanceId !== undefined && secretKey !== undefined) return { url: url ?? urlOf(config), instanceId, secretKey };
  const instance = chosen(config.instances, instanceId, '--instance');
  return { url: url ?? urlOf(config), instanceId: instance.id, secretKey: instance.secretKey };
}
