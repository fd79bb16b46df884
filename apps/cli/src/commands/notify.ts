import { Command } from 'commander';
import { RequestFailed } from '@rookery/client/server';
import { examples } from '../examples.js';
import { WrongUse } from '../fault.js';
import { print, printJson } from '../output.js';
import { type JsonOptions, withJson } from '../query.js';
import { answered } from '../server/answers.js';
import { type AppOptions, appOf, type ServedApp, withAppOptions } from '../server/app-options.js';
import { contentOf, type ContentOptions, withContentOptions } from '../server/push-content.js';

interface NotifyOptions extends AppOptions, ContentOptions, JsonOptions {
  readonly pushAfter?: string;
  readonly collapseKey?: string;
}

export const notify = (): Command =>
  withJson(
    withAppOptions(
      withContentOptions(
        new Command('notify')
          .summary('notify a user: on an open page, otherwise by push')
          .description(
            "Sends an event to a user's open pages. If none has shown it in time, the user's devices get title and " +
              'body by push; without these, nothing.',
          )
          .argument('<user id>')
          .argument('<event>')
          .argument('[data]', 'a JSON object', '{}'),
      )
        .option('--push-after <seconds>', 'time for a page to show it; 0 pushes at once')
        .option('--collapse-key <key>', 'replaces an unread one with the same key'),
    ),
  )
    .addHelpText(
      'after',
      examples(
        [`rookery notify alice mention '{"room":"tea"}' --title "A mention"`, 'on her page, otherwise on her phone'],
        ['rookery notify alice badge', 'only on her open pages'],
      ),
    )
    .action(async (userId: string, name: string, data: string, options: NotifyOptions) => {
      const push = contentOf(options);
      const { pushAfter, collapseKey, json, query } = options;
      if (pushAfter !== undefined && !/^\d+$/.test(pushAfter))
        throw new WrongUse('--push-after must be a number of seconds');
      const app = await appOf(options);
      const answer = await answered(
        app.url,
        post(app, {
          userId,
          event: { name, data },
          push,
          pushAfterSeconds: pushAfter === undefined ? undefined : Number(pushAfter),
          collapseKey,
        }),
      );
      if (json) printJson(answer, query);
      else print(`Accepted as ${answer.id}`);
    });

async function post({ url, appId, key, secret }: ServedApp, notification: object): Promise<{ readonly id: string }> {
  // Only here: it comes with all of the server's modules.
  const { signedQuery } = await import('rookery/channels');
  const address = new URL(`${url}/apps/${encodeURIComponent(appId)}/notifications`);
  const body = JSON.stringify(notification);
  address.search = signedQuery({ key, secret }, { method: 'POST', path: address.pathname, body });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(address, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) });
  const text = await response.text();
  if (!response.ok) throw new RequestFailed(response, text);
  return JSON.parse(text) as { readonly id: string };
}
