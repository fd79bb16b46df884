import { Command, Option } from 'commander';
import { type BeamsOptions, beamsClient, type InterestsPublishRequest } from '@rookery/client/server';
import { agree } from '../confirm.js';
import { examples } from '../examples.js';
import { Fault, WrongUse } from '../fault.js';
import { print, printJson, tell } from '../output.js';
import { type JsonOptions, withJson } from '../query.js';
import { answered } from '../server/answers.js';
import { type ConsoleOptions, passwordOption } from '../server/console-api.js';
import { testDevice } from '../server/device-test.js';
import { finishedPublish } from '../server/finished-publish.js';
import { instanceOf, type InstanceOptions, withInstanceOptions } from '../server/instance-options.js';
import { hasFailed, printState } from '../server/publish-state.js';
import { contentOf, type ContentOptions, withContentOptions } from '../server/push-content.js';
import { devicesText, maxCounted, reachOf } from '../server/reach.js';
import { wholeNumber } from '../whole-number.js';

interface PublishOptions extends InstanceOptions, ContentOptions, ConsoleOptions, JsonOptions {
  readonly device?: string;
  readonly users?: boolean;
  readonly allOf?: readonly string[];
  readonly noneOf?: readonly string[];
  readonly at?: string;
  readonly wait?: boolean;
  readonly timeout: number;
  readonly yes?: boolean;
}

export const publish = (): Command =>
  withJson(
    withInstanceOptions(
      withContentOptions(
        new Command('publish')
          .summary('send a push notification to interests, users or one device')
          .description(
            `Publishes a notification to the devices of interests, or of users. Asks first on a terminal, naming the ` +
              `number of devices; in a script, refuses interests with more than ${maxCounted} devices without --yes. ` +
              `With --device, sends a test to one device through the console, prints the push service's answer, and ` +
              `fails unless it was delivered.`,
          )
          .argument('[targets]', 'an interest, or up to 100 separated by commas')
          .option('--users', 'the targets are user ids, up to 1000')
          .addOption(
            listOption('--all-of <interests>', 'only devices that also have all of these, separated by commas'),
          )
          .addOption(listOption('--none-of <interests>', 'only devices that have none of these, separated by commas'))
          .addOption(new Option('--device <id>', 'a test to this device alone').conflicts(['users', 'at', 'wait'])),
      )
        .option('--at <time>', 'when to send it, within 28 days; Z or an offset such as +02:00')
        .option('--wait', 'wait for the outcome, and print it; exits with 1 if no device got it')
        .option('--timeout <seconds>', 'how long to wait before it exits with 1', wholeNumber, 300),
    ),
  )
    .option('--yes', 'do not ask')
    .option(...passwordOption)
    .addHelpText(
      'after',
      examples(
        ['rookery publish hello --title Hello --body "from here"', 'to an interest'],
        ['rookery publish alice,bob --users --title Dinner --wait', 'to two users'],
        ['rookery publish sports --all-of premium --none-of muted --title Goal', 'to devices with both, if not muted'],
        ['rookery publish hello --title Hello --at 2030-01-31T12:00:00Z', 'later'],
        [`rookery publish hello --payload '{"fcm":{"data":{"n":"1"}}}'`, 'only data, to Android'],
        ['rookery publish --device fcm-1d2f…', 'a test to one device'],
      ),
    )
    .action(async (targets: string | undefined, options: PublishOptions) => {
      const content = contentOf(options);
      if (options.device !== undefined) {
        if (targets !== undefined) throw new WrongUse(`--device takes no targets, but there is ${targets}`);
        return testDevice(options.device, content, options);
      }
      if (targets === undefined) throw new WrongUse('The targets are missing: name interests, --users or --device');
      if (!content) throw new WrongUse('The content is missing: pass --title, --body or --payload');
      const { allOf, noneOf } = options;
      const request = { ...content, ...(allOf && { allOf }), ...(noneOf && { noneOf }) };
      await publishTo(targets.split(','), request, await instanceOf(options), options);
    });

const listOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((names: string) => names.split(',')).conflicts(['users', 'device']);

async function publishTo(
  names: readonly string[],
  content: InterestsPublishRequest,
  instance: BeamsOptions,
  options: PublishOptions,
): Promise<void> {
  const { users, at, wait, timeout, json, query } = options;
  const reach = () => reachOf(instance, users ? 'users' : 'interests', names, content);
  const question = async (): Promise<string> => `This reaches ${devicesText(await reach())} now. Send it?`;
  await agree(question, 'Nothing was sent', options, async () => {
    // Users are named one by one; an interest may be everybody's.
    if (!users && (await reach()) === undefined)
      throw new WrongUse(`This reaches ${devicesText(undefined)}: pass --yes to send it from a script`);
  });
  const headers: Record<string, string> = at === undefined ? {} : { 'publish-at': at };
  const client = beamsClient(instance);
  const call = users
    ? client.publishToUsers(names, content, { headers })
    : client.publishToInterests(names, content, { headers });
  const published = await answered(instance.url, call);
  const accepted = `Accepted as ${published.publishId}`;
  if (!wait) return json ? printJson(published, query) : print(accepted);
  tell(accepted);
  const state = await finishedPublish(instance, published.publishId, timeout);
  if (json) printJson(state, query);
  else printState(state);
  if (hasFailed(state)) throw new Fault('No device got it');
}
