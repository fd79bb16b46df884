import { Command } from 'commander';
import { commands } from './commands/index.js';

/** The command `rookery`, with all its commands. */
export function program(): Command {
  const rookery = new Command('rookery')
    .description(
      'A server for Pusher Channels and Pusher Beams, with tools to run one. Without a command, it runs the server.',
    )
    .option('-V, --version', 'print the version')
    .usage('[command] [options]')
    .helpCommand(false)
    .addHelpText('after', closing)
    .showSuggestionAfterError()
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'rookery: ')) })
    .exitOverride();
  for (const command of commands()) rookery.addCommand(inheriting(command, rookery));
  return rookery;
}

/** Commander's own sub-commands inherit the settings of their parent; ready-made ones do not. */
function inheriting(command: Command, from: Command): Command {
  command.copyInheritedSettings(from);
  for (const each of command.commands) inheriting(each, from);
  return command;
}

const closing = `
Try it:
  $ npx rookery                                    # a server on http://127.0.0.1:6001, with a page to try it on
  $ npx rookery subscribe news                     # in another terminal: shows what arrives
  $ npx rookery trigger news headline '"Hello"'    # in a third one

Commands that talk to a server take --url, --app, --key and --secret. Omitted options are read from the server's own
settings: its environment variables, and the file that CONFIG_FILE names. Without those, it is the
development app. \`rookery <command> --help\` shows a command's options, with examples.
`;
