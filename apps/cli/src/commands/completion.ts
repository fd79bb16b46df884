import { Argument, Command } from 'commander';
import { examples } from '../examples.js';
import { printText } from '../output.js';
import { scriptFor, shells } from '../completion/scripts.js';

/** @param all the other commands */
export const completion = (all: readonly Command[]): Command => {
  const command = new Command('completion')
    .summary('print a script that completes commands and options in your shell')
    .description('Prints a script that completes commands and options in bash, zsh or fish.')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .addHelpText(
      'after',
      examples(
        [`echo 'source <(rookery completion bash)' >> ~/.bashrc`, 'bash'],
        [`echo 'source <(rookery completion zsh)' >> ~/.zshrc`, 'zsh, after compinit'],
        ['rookery completion fish > ~/.config/fish/completions/rookery.fish', 'fish'],
      ),
    )
    .action((shell: string) => printText(scriptFor(shell, [...all, command])));
  return command;
};
