import { Command } from 'commander';
import type { Why } from '../../../console/src/api/contract.js';
import { clock } from '../../../console/src/parts/time.js';
import { endedText, folded } from '../../../console/src/why/ended-words.js';
import { notKept, sentenceOf, verdictWords } from '../../../console/src/why/verdict-words.js';
import { examples } from '../examples.js';
import { WrongUse } from '../fault.js';
import { styleOf } from '../colour.js';
import { print, printJson, printMarked } from '../output.js';
import { type JsonOptions, withJson } from '../query.js';
import { appOption } from '../server/app-options.js';
import { withConsoleOptions } from '../server/console-api.js';
import { appInConsole, type OwnerOptions } from '../server/console-owner.js';

interface WhyOptions extends OwnerOptions, JsonOptions {
  readonly user?: string;
  readonly socket?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

export const why = (): Command =>
  withJson(
    withConsoleOptions(
      new Command('why')
        .summary('tell whether an event reached a user or a socket, and why not')
        .description(
          'Says whether, and why, an event of the last minutes reached a user or a socket. The exit code is 0 if it ' +
            'did, 1 if it did not, and 3 if that is not known.',
        )
        .argument('<event id>', 'as shown by rookery logs')
        .option('--user <id>', 'every connection of this user')
        .option('--socket <id>', 'this connection')
        .option(...appOption)
        .option('--all', 'also connections of the user that had ended before the event'),
    ),
  )
    .addHelpText('after', examples(['rookery why 17-3@my-channel --user alice', 'did she get it, and why not?']))
    .action(async (event: string, { user, socket, all, json, query: selection, ...options }: WhyOptions) => {
      if ((user === undefined) === (socket === undefined)) throw new WrongUse('Pass either --user or --socket');
      const { api, path } = await appInConsole(options);
      const about: readonly [string, string] = user === undefined ? ['socket', socket!] : ['user', user];
      const query = new URLSearchParams([['event', event], [...about]]);
      const answer = await api.ask<Why>('GET', `${path}/why?${String(query)}`);
      if (json) printJson(answer, selection);
      else printWhy(answer, all);
      process.exitCode = exitCodeOf(answer);
    });

/** An event has reached a user if it has reached one of their connections. */
function exitCodeOf({ sockets }: Why): number {
  const verdicts = new Set(sockets.map(({ verdict }) => verdict));
  if (verdicts.has('delivered')) return 0;
  return verdicts.has('not_delivered') && !verdicts.has('unknown') ? 1 : 3;
}

function printWhy(why: Why, all = false): void {
  if (why.event) print(`${why.event.name} on ${why.event.channel} at ${clock(why.event.at)}`);
  else print(notKept(why));
  const { shown, ended } = all ? { shown: why.sockets, ended: [] } : folded(why);
  for (const socket of shown) {
    const [word, tone] = verdictWords[socket.verdict];
    printMarked(styleOf(tone), word, ['', socket.socketId, socket.userId].filter((each) => each !== null).join('  '));
    print(`  ${sentenceOf(socket)}`);
    for (const { at, text } of socket.timeline) print(`  ${clock(at)}  ${text}`);
  }
  if (ended.length > 0) print(`${endedText(ended)}: --all shows them`);
}
