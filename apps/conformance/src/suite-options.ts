import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Profile } from './case.js';

/** Which cases a command runs, and how it reports. */
export interface SuiteOptions {
  readonly pushUrl?: string;
  readonly instance?: string;
  readonly secretKey?: string;
  readonly webhookPort?: number;
  readonly pushService?: string;
  readonly patience?: number;
  readonly slow?: boolean;
  readonly strict?: boolean;
  /** False with `--no-skips`. */
  readonly skips?: boolean;
  readonly profile?: Profile;
  readonly only?: string;
  readonly format: 'table' | 'json' | 'junit' | 'markdown';
  readonly name?: string;
  readonly list?: boolean;
}

/**
 * Adds the options of the suite.
 * @param instance where the id of the push instance is from without `--instance`
 */
export const withSuiteOptions = (command: Command, instance: string): Command =>
  command
    .option('--push-url <url>', 'URL of Beams, if it has its own', webAddress)
    .option('--instance <id>', `id of the push instance (default: ${instance})`)
    .option('--secret-key <key>', 'its secret key')
    .option('--webhook-port <port>', 'port to listen on for webhooks of the app', port)
    .option('--push-service <url>', 'URL to receive pushes to browsers at, such as http://127.0.0.1:7001', webAddress)
    .option('--patience <seconds>', 'how long an answer may take (default: 5)', seconds)
    .option('--slow', 'also cases that wait for minutes of silence')
    .option('--strict', 'let dialects and other wording fail')
    .option('--no-skips', 'let skipped cases fail')
    .addOption(
      new Option('--profile <name>', 'only these cases; channels includes channels-core').choices([
        'channels-core',
        'channels',
        'beams',
      ]),
    )
    .option('--only <id>', 'only ids that begin so, such as presence/')
    .addOption(
      new Option('--format <format>', 'of the report').choices(['table', 'json', 'junit', 'markdown']).default('table'),
    )
    .option('--name <name>', 'of the server and its version, in markdown (default: its URL)')
    .option('--list', 'only print the cases, with their sources');

/** Parses an option's URL. */
export function webAddress(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('It must be a URL such as https://push.example.com');
}

function seconds(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) > 0 && Number(text) <= 600) return Number(text);
  throw new InvalidArgumentError('It must be a number of seconds from 0.1 to 600');
}

function port(text: string): number {
  if (/^[1-9]\d*$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 65535');
}
