import { Command, Option } from 'commander';
import { asList, onOneLine } from './report.js';
import { type AskedTarget, chosenCases, obstacleTo, reportOn } from './suite.js';
import { type SuiteOptions, webAddress, withSuiteOptions } from './suite-options.js';
import { version } from './version.js';

interface CommandOptions extends SuiteOptions {
  readonly url?: string;
  readonly app?: string;
  readonly key?: string;
  readonly secret?: string;
}

const command = withSuiteOptions(
  new Command('rookery-conformance')
    .description(
      "Runs a conformance suite against any server of Pusher Channels and Beams, and prints what differs from Pusher's " +
        'documentation and official SDKs. Exits with 1 if a case fails, and with 2 if the server does not answer or ' +
        'refuses the key.',
    )
    .version(version)
    .option('--url <url>', 'URL of the server', webAddress)
    .addOption(new Option('--app <id>', 'id of an app of it').env('PUSHER_APP_ID'))
    .addOption(new Option('--key <key>', 'its key').env('PUSHER_APP_KEY'))
    .addOption(new Option('--secret <secret>', 'its secret').env('PUSHER_APP_SECRET')),
  'none, without its cases',
)
  .showHelpAfterError('See: rookery-conformance --help')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .action(async (options: CommandOptions) => {
    const chosen = chosenCases(options);
    if (chosen.length === 0) return fail(`No case has an id that begins with ${options.only}`);
    if (options.list) return print(asList(chosen));
    const target = targetOf(options);
    const obstacle = await obstacleTo(target, chosen, options);
    if (obstacle !== undefined) return fail(onOneLine(obstacle));
    const { text, hasFailed } = await reportOn(target, chosen, options);
    print(text);
    if (hasFailed) process.exitCode = 1;
  });

const fail = (why: string): never => command.error(`rookery-conformance: ${why}`);
const print = (text: string): void => void process.stdout.write(`${text}\n`);

function targetOf({ url, app: appId, key, secret, ...options }: CommandOptions): AskedTarget {
  if (!url || !appId || !key || !secret) return fail('--url, --app, --key and --secret must be given');
  const { pushUrl = url, instance: instanceId, secretKey } = options;
  if (instanceId === undefined && secretKey === undefined) return { url, appId, key, secret };
  if (!instanceId || !secretKey) return fail('--instance and --secret-key must be used together');
  return { url, appId, key, secret, push: { url: pushUrl, instanceId, secretKey } };
}

// The reader of the output has closed it, as in `rookery-conformance --list | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});
command.parseAsync().catch((error: unknown) => {
  process.stderr.write(`rookery-conformance: ${onOneLine((error as Error).message)}\n`);
  process.exitCode = 2; // No case has failed: there is no verdict.
});
