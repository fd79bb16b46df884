import { Command } from 'commander';
import { examples } from '../examples.js';
import { printJson } from '../output.js';
import { instanceOf, type InstanceOptions, withInstanceOptions } from '../server/instance-options.js';
import { printState, publishState } from '../server/publish-state.js';

export const publishes = (): Command =>
  new Command('publishes')
    .summary('show or cancel a publish')
    .description('The publishes of a push instance, by the id that rookery publish prints.')
    .addCommand(
      asking('show', 'GET', 'show how far a publish is', 'Shows the state of a publish, and its counts by platform.'),
    )
    .addCommand(
      asking(
        'cancel',
        'DELETE',
        'cancel a scheduled or running publish',
        'Cancels a publish: devices that were not sent to yet get nothing.',
      ),
    )
    .helpCommand(false);

const asking = (name: string, method: 'GET' | 'DELETE', summary: string, description: string): Command =>
  withInstanceOptions(
    new Command(name)
      .summary(summary)
      .description(description)
      .argument('<publish id>', 'as printed by rookery publish')
      .option('--json', 'print the answer as JSON'),
  )
    .addHelpText('after', examples([`rookery publishes ${name} pubid-1d2f…`, summary]))
    .action(async (publishId: string, { json, ...options }: InstanceOptions & { readonly json?: boolean }) => {
      const state = await publishState(await instanceOf(options), publishId, method);
      if (json) printJson(state);
      else printState(state);
    });
