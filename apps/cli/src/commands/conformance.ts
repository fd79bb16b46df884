import { Command } from 'commander';
import { type SuiteOptions, withSuiteOptions } from '../../../conformance/src/suite-options.js';
import { examples } from '../examples.js';
import { WrongUse } from '../fault.js';
import { printTable, printText } from '../output.js';
import { type AppOptions, appOf, withAppOptions } from '../server/app-options.js';
import { configuration } from '../server/configuration.js';

type ConformanceOptions = AppOptions & SuiteOptions;

export const conformance = (): Command =>
  withSuiteOptions(
    withAppOptions(
      new Command('conformance')
        .summary('judge any server by what Pusher documents')
        .description(
          "Runs a conformance suite against any server, and prints what differs from Pusher's documentation and " +
            'official SDKs. Exits with 1 if a case fails, and with 2 if the server does not answer or refuses the key.',
        ),
    ),
    'the only configured instance',
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
    .action(async (options: ConformanceOptions) => {
      const { originOf } = await import('../../../conformance/src/case.js');
      const { chosenCases, NotJudged, obstacleTo, reportOn } = await import('../../../conformance/src/suite.js');
      const chosen = chosenCases(options);
      if (chosen.length === 0) throw new WrongUse(`No case has an id that begins with ${options.only}`);
      if (options.list)
        return printTable(
          ['case', 'profile', 'promise', 'source'],
          chosen.map((each) => [each.id, each.profile, each.title, originOf(each)]),
        );
      const { url, appId, key, secret } = await appOf(options);
      const push = await pushOf(options, url);
      const target = { url, appId, key, secret, ...(push && { push }) };
      const obstacle = await obstacleTo(target, chosen, options);
      if (obstacle !== undefined) throw new WrongUse(obstacle);
      const { text, hasFailed } = await reportOn(target, chosen, options).catch((error: unknown) => {
        throw error instanceof NotJudged ? new WrongUse(error.message) : error;
      });
      printText(text);
      if (hasFailed) process.exitCode = 1;
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
