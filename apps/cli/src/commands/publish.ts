import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { beamsClient, type PublishRequest } from 'rookery/server';
import { agree } from '../confirm.js';
import { examples } from '../examples.js';
import { WrongUse } from '../fault.js';
import { print, printJson } from '../output.js';
import { answered } from '../server/answers.js';
import { instanceOf, type InstanceOptions, withInstanceOptions } from '../server/instance-options.js';
import { printState, publishState } from '../server/publish-state.js';
import { reachOf } from '../server/reach.js';

interface PublishOptions extends InstanceOptions {
  readonly users?: boolean;
  readonly title?: string;
  readonly body?: string;
  readonly payload?: string;
  readonly at?: string;
  readonly wait?: boolean;
  readonly json?: boolean;
  readonly yes?: boolean;
}

export const publish = (): Command =>
  withInstanceOptions(
    new Command('publish')
      .summary('send a push notification to interests or users')
      .description(
        'Publishes a notification to the devices of interests, or of users, on all platforms. On a terminal, asks first: the question says how many devices have it now.',
      )
      .argument('<targets>', 'an interest, or up to 100 separated by commas')
      .option('--users', 'the targets are user ids, up to 1000')
      .option('--title <text>', 'title of the notification')
      .option('--body <text>', 'its text')
      .option('--payload <json>', 'the payloads, instead of title and body: { "apns": …, "fcm": …, "web": … }')
      .option('--at <time>', 'when to send it, within 28 days: 2030-01-31T12:00:00Z, or with an offset such as +02:00')
      .option('--wait', 'wait until it was sent to all devices, and print the outcome')
      .option('--json', 'print the answer as JSON')
      .option('--yes', 'do not ask on a terminal'),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery publish hello --title Hello --body "from here"', 'to the interest hello'],
        ['rookery publish alice,bob --users --title Dinner --wait', 'to the devices of two users'],
        ['rookery publish hello --title Hello --at 2030-01-31T12:00:00Z', 'later; rookery publishes cancel stops it'],
        [`rookery publish hello --payload '{"fcm":{"data":{"n":"1"}}}'`, 'only data, and only to Android'],
      ),
    )
    .action(async (targets: string, options: PublishOptions) => {
      const instance = await instanceOf(options);
      const request = requestOf(options);
      const client = beamsClient(instance);
      const names = targets.split(',');
      const targetsAre = options.users ? 'users' : 'interests';
      const question = async (): Promise<string> =>
        `This reaches ${await reachOf(instance, targetsAre, names, request)} now. Send it?`;
      await agree(question, 'Nothing was sent', options);
      const headers: Record<string, string> = options.at === undefined ? {} : { 'publish-at': options.at };
      const call = options.users
        ? client.publishToUsers(names, request, { headers })
        : client.publishToInterests(names, request, { headers });
      const published = await answered(instance.url, call);
      if (!options.wait) return options.json ? printJson(published) : print(`Accepted as ${published.publishId}`);
      let state = await publishState(instance, published.publishId);
      while (state.state !== 'finished' && state.state !== 'cancelled') {
        await sleep(250);
        state = await publishState(instance, published.publishId);
      }
      if (options.json) printJson(state);
      else printState(state);
    });

function requestOf({ title, body, payload }: PublishOptions): PublishRequest {
  if (payload !== undefined) return parsed(payload);
  if (title === undefined && body === undefined)
    throw new WrongUse('The content is missing: pass --title, --body or --payload');
  const notification = { title, body };
  return { apns: { aps: { alert: notification } }, fcm: { notification }, web: { notification } };
}

function parsed(payload: string): PublishRequest {
  try {
    return JSON.parse(payload) as PublishRequest; // The server checks it.
  } catch (error) {
    throw new WrongUse(`--payload must be JSON: ${(error as Error).message}`);
  }
}
