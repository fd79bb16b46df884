import { Command } from 'commander';
import { openBrowser } from '../browser.js';
import { examples } from '../examples.js';
import { Fault } from '../fault.js';
import { print } from '../output.js';
import { answered } from '../server/answers.js';
import { withUrlOption } from '../server/app-options.js';
import { configuration, urlOf } from '../server/configuration.js';

export const open = (): Command =>
  withUrlOption(
    new Command('open')
      .summary('open the console in your browser')
      .description(
        'Opens the web console of a running server in your browser. Without a browser or a terminal, prints its ' +
          'address.',
      ),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery open', 'the console of the server on this machine'],
        ['rookery open --url https://push.example.com', 'of another one'],
      ),
    )
    .action(async ({ url }: { readonly url?: string }) => {
      const server = url ?? urlOf(await configuration());
      const { status } = await answered(server, fetch(`${server}/console/api/session`));
      if (status === 404)
        throw new Fault(`the console at ${server} is off: set CONSOLE_PASSWORD for the server to turn it on`);
      const address = `${server}/console`;
      if (process.stdout.isTTY && (await openBrowser(address))) print(`Opened ${address} in your browser`);
      else print(address);
    });
