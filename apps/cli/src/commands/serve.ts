import { Command } from 'commander';
import { examples } from '../examples.js';

/** The variables that the options stand for. */
const variables = {
  host: 'HOST',
  port: 'PORT',
  config: 'CONFIG_FILE',
  database: 'DATABASE_URL',
  redis: 'REDIS_URL',
  workers: 'WORKERS',
  role: 'ROLE',
} as const;

type ServeOptions = Readonly<Partial<Record<keyof typeof variables, string>>>;

export const serve = (): Command =>
  new Command('serve')
    .summary('run the server; also what `rookery` does without a command')
    .description('Runs the server until it is told to stop. Options take the place of its environment variables.')
    .option('--host <address>', 'where to listen; HOST (default: 127.0.0.1)')
    .option('--port <number>', 'where to listen; PORT (default: 6001)')
    .option('--config <file>', 'apps, instances and all settings, as JSON; CONFIG_FILE')
    .option('--database <url>', 'sqlite:<file> or postgres://…; DATABASE_URL (default: sqlite:data/rookery.db)')
    .option('--redis <url>', 'for several servers of the same apps; REDIS_URL')
    .option('--workers <count>', 'processes that serve the port together, or max; WORKERS (default: 1)')
    .option('--role <role>', 'all, api or worker; ROLE (default: all)')
    .addHelpText(
      'after',
      examples(
        ['rookery', 'the development app, on http://127.0.0.1:6001'],
        ['rookery serve --port 8080 --workers max', 'a process for each core'],
        ['NODE_ENV=production rookery serve --host 0.0.0.0 --config rookery.json', 'your own apps'],
      ),
    )
    .action(async (options: ServeOptions) => {
      const given = Object.entries(variables).map(([option, variable]) => [
        variable,
        options[option as keyof ServeOptions],
      ]);
      const server = await import('../../../server/src/serve.js');
      await server.serve({ ...process.env, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) });
    });
