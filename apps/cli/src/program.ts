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
    .helpCommand('help [command]', 'show what a command does, with its options and examples')
    .addHelpText('after', closing)
    .showSuggestionAfterError()
    // `devices` and `devices remove` have options of the same names.
    .enablePositionalOptions()
    .showHelpAfterError('See: rookery --help')
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'rookery: ')) })
    .exitOverride();
  for (const command of commands()) {
    rookery.addCommand(command);
    inherit(command, rookery);
  }
  return rookery;
}

/** Commander's own sub-commands inherit the settings of their parent; ready-made ones do not. */
function inherit(command: Command, from: Command): void {
  command.copyInheritedSettings(from);
  command.showHelpAfterError(`See: ${pathOf(command)} --help`);
  for (const each of command.commands) inherit(each, from);
}

/** For example `rookery apps create`. */
export const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

const closing = `
Try it:
  $ npx rookery                                    # a server on http://127.0.0.1:6001, with a page to try it on
  $ npx rookery subscribe news                     # in another terminal: shows what arrives
  $ npx rookery trigger news headline '"Hello"'    # in a third one

Commands that talk to a server take --url, --app, --key and --secret. Omitted options are read from the server's own
settings: its environment variables, and the file that CONFIG_FILE names. Without those, it is the
development app. \`rookery <command> --help\` shows a command's options, with examples.
`;
