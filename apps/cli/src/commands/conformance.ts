import { Command, Option } from 'commander';
import type { Profile } from '../../../conformance/src/index.js';
import { examples } from '../examples.js';
import { WrongUse } from '../fault.js';
import { print, printJson, printTable, printText } from '../output.js';
import { type AppOptions, appOf, webAddress, withAppOptions } from '../server/app-options.js';
import { configuration } from '../server/configuration.js';
import { wholeNumber } from '../whole-number.js';

interface ConformanceOptions extends AppOptions {
  readonly pushUrl?: string;
  readonly instance?: string;
  readonly secretKey?: string;
  readonly webhookPort?: number;
  readonly profile?: Profile;
  readonly only?: string;
  readonly format: 'table' | 'json' | 'junit';
  readonly list?: boolean;
}

export const conformance = (): Command =>
  withAppOptions(
    new Command('conformance')
      .summary('judge any server by what Pusher documents')
      .description(
        "Runs a conformance suite against any server, and prints what differs from Pusher's documentation and " +
          'official SDKs. Exits with 1 if a case fails.',
      )
      .option('--push-url <url>', 'URL of Beams, if another', webAddress)
      .option('--instance <id>', 'id of the push instance (default: the only configured instance)')
      .option('--secret-key <key>', 'its secret key')
      .option('--webhook-port <port>', 'port to listen on for webhooks of the app', wholeNumber)
      .addOption(new Option('--profile <name>', 'only these cases').choices(['channels-core', 'channels', 'beams']))
      .option('--only <id>', 'only ids that begin so, such as presence/')
      .addOption(new Option('--format <format>', 'of the report').choices(['table', 'json', 'junit']).default('table'))
      .option('--list', 'only print the cases, with their sources'),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery conformance', 'the server of this configuration'],
        ['rookery conformance --url http://127.0.0.1:8080 --app 1 --key k --secret s', 'any other server'],
        ['rookery conformance --profile channels-core --format junit > report.xml', 'in CI'],
        ['rookery conformance --only webhooks/ --webhook-port 7000', 'of an app with a webhook to http://…:7000/'],
      ),
    )
    .action(async ({ profile, only = '', format, list, webhookPort, ...options }: ConformanceOptions) => {
      const { asJunit, asTable, cases, judged, WebhookListener } = await import('../../../conformance/src/index.js');
      const chosen = cases.filter((each) => each.id.startsWith(only) && (!profile || each.profile === profile));
      if (chosen.length === 0) throw new WrongUse(`No case has an id that begins with ${only}`);
      if (list)
        return printTable(
          ['case', 'profile', 'promise', 'source'],
          chosen.map(({ id, profile, title, source }) => [id, profile, title, source]),
        );
      const { url, appId, key, secret } = await appOf(options);
      const push = await pushOf(options, url);
      const webhooks = webhookPort === undefined ? undefined : await WebhookListener.listen(webhookPort);
      const target = { url, appId, key, secret, ...(push && { push }), ...(webhooks && { webhooks }) };
      const results = await judged(target, chosen).finally(() => webhooks?.close());
      if (format === 'json') printJson(results);
      else if (format === 'junit') printText(asJunit(results));
      else for (const line of asTable(results).split('\n')) print(line);
      if (results.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1;
    });

/** Absent, its cases are skipped. */
async function pushOf(options: Omit<ConformanceOptions, 'format'>, appUrl: string) {
  const { url: given, pushUrl, instance, secretKey } = options;
  const url = pushUrl ?? appUrl;
  if (instance !== undefined && secretKey !== undefined) return { url, instanceId: instance, secretKey };
  if (instance !== undefined || secretKey !== undefined)
    throw new WrongUse('--instance and --secret-key must be used together');
  // The configuration is of another server.
  if (given !== undefined) return undefined;
  const [only, ...others] = (await configuration()).instances;
  return only && others.length === 0 ? { url, instanceId: only.id, secretKey: only.secretKey } : undefined;
}
