import { Command, Option } from 'commander';
import type { ServerConfig } from '../../../server/src/config/config.js';
import type { Finding, Findings } from '../doctor/finding.js';
import { examples } from '../examples.js';
import { lineOf } from '../fault.js';
import { print, printJson, printMarked } from '../output.js';
import { type JsonOptions, withJson } from '../query.js';
import { appOf, webAddress } from '../server/app-options.js';
import { configuration, urlOf } from '../server/configuration.js';

interface DoctorOptions extends JsonOptions {
  readonly url: readonly string[];
  readonly app?: string;
}

export const doctor = (): Command =>
  withJson(
    new Command('doctor')
      .summary('check everything that a server needs, and suggest fixes')
      .description(
        'Checks configuration, database (migrations, damage, disk space), Redis, clocks, push services with the ' +
          'configured credentials, webhook endpoints and the limit of open files; then the server at each --url, with ' +
          'a signed request, a handshake and an event. Exits with 1 if there is a fault.',
      )
      .addOption(
        new Option('--url <url>', 'URL at which clients reach the server, through the proxy; repeatable')
          .argParser((text: string, all: readonly string[]) => [...all, webAddress(text)])
          .default([], 'from HOST and PORT'),
      )
      .option('--app <id>', 'app to test with (default: the first one)'),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery doctor', 'on the machine of the server, with its environment'],
        ['rookery doctor --url https://push.example.com --url http://push.example.com', 'both addresses of the proxy'],
      ),
    )
    .action(async (options: DoctorOptions) => {
      const found: Finding[] = [];
      for await (const finding of examined(options)) {
        found.push(finding);
        if (!options.json) printFinding(finding);
      }
      const faults = found.filter(({ state }) => state === 'fault').length;
      if (options.json) printJson({ faults, findings: found }, options.query);
      else {
        print('');
        print(faults === 0 ? 'No faults found.' : `${faults} ${faults === 1 ? 'fault' : 'faults'} found.`);
      }
      if (faults > 0) process.exitCode = 1;
    });

/** One check after the other, so that each finding is printed at once. */
async function* examined(options: DoctorOptions): Findings {
  // Findings replace what the gateways and Redis would log.
  (await import('@nestjs/common')).Logger.overrideLogger(false);
  const { about } = await import('../doctor/finding.js');
  const say = about('configuration');
  let config: ServerConfig;
  try {
    const { checkFiles, served } = await import('../../../server/src/config/checked-configuration.js');
    config = await configuration();
    const { apps, instances } = served(config);
    checkFiles(config);
    if (!config.isDevelopment) yield say.ok(`apps: ${apps}, push instances: ${instances}`);
    else yield say.note('no app is configured: the development app is served, whose secret is public');
  } catch (error) {
    yield say.fault(lineOf(error), 'Correct it, and verify with `npx rookery config check`');
    return;
  }
  yield* (await import('../doctor/limits.js')).limitFindings(config);
  yield* (await import('../doctor/database.js')).databaseFindings(config);
  yield* (await import('../doctor/redis.js')).redisFindings(config);
  yield* (await import('../doctor/gateways.js')).gatewayFindings(config);
  yield* (await import('../doctor/webhooks.js')).webhookFindings(config);
  const { outsideFindings } = await import('../doctor/from-outside.js');
  const app = options.app ?? config.apps[0]?.id;
  if (app === undefined || config.role === 'worker') return;
  if (options.url.length === 0 && config.host.startsWith('/')) {
    yield about(config.host).note('HOST is a Unix socket: name the URL of its proxy with --url to check it');
    return;
  }
  for (const url of options.url.length > 0 ? options.url : [urlOf(config)])
    yield* outsideFindings(await appOf({ url, app }));
}

const marks = { ok: ['green', 'ok   '], note: ['yellow', 'note '], fault: ['red', 'FAULT'] } as const;

function printFinding({ state, about, text, fix }: Finding): void {
  const [style, mark] = marks[state];
  printMarked(style, mark, `  ${about}: ${text}`);
  if (fix !== undefined) print(`       ${fix}`);
}
