import { type Command, CommanderError } from 'commander';
import { lineOf, WrongUse } from './fault.js';
import { print, tell, tellFault } from './output.js';
import { pathOf, program } from './program.js';

/** Runs a command line. Returns its exit code: 0, 1 for a failure, 2 for wrong usage, or one of the command's own. */
export async function run(args: readonly string[]): Promise<number> {
  const asked = program();
  let called = asked;
  asked.hook('preAction', (_, command) => void (called = command));
  try {
    if (versionFlags.includes(args[0]!)) return await printVersion();
    await asked.parseAsync([...withCommand(isHelpOfNothing(asked, args) ? args.slice(1) : args)], { from: 'user' });
    return typeof process.exitCode === 'number' ? process.exitCode : 0;
  } catch (error) {
    // Commander has printed it already; asking for help is not an error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    tellFault(lineOf(error));
    if (!(error instanceof WrongUse)) return 1;
    tell(`See: ${pathOf(called)} --help`);
    return 2;
  }
}

const versionFlags = ['-V', '--version'];
const askedOfAll = ['-h', '--help', ...versionFlags];

async function printVersion(): Promise<number> {
  const { version } = await import('./settings.js');
  print(version);
  return 0;
}

/** Commander would show the help of all commands, as if there were one. */
const isHelpOfNothing = ({ commands }: Command, [help, name]: readonly string[]): boolean =>
  help === 'help' && name !== undefined && !commands.some((command) => command.name() === name);

/** Without a command, runs the server: `npx rookery`, `npx rookery --port 8080`. */
function withCommand(args: readonly string[]): readonly string[] {
  const [first] = args;
  return first === undefined || (first.startsWith('-') && !askedOfAll.includes(first)) ? ['serve', ...args] : args;
}
