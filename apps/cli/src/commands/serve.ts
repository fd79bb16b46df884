import { Command } from 'commander';
import { EarlyPort } from '../../../server/src/early-port.js';
import { examples } from '../examples.js';

/** The environment variables that the options set. */
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
    .summary('run the server; also the default without a command')
    .description('Runs the server until you stop it. Options override its environment variables.')
    .option('--host <address>', 'address to listen on; HOST (default: 127.0.0.1)')
    .option('--port <number>', 'port to listen on; PORT (default: 6001)')
    .option('--config <file>', 'JSON file with all settings; CONFIG_FILE')
    .option('--database <url>', 'sqlite:<file> or postgres://…; DATABASE_URL (default: sqlite:data/rookery.db)')
    .option('--redis <url>', 'for several servers with the same apps; REDIS_URL')
    .option('--workers <count>', 'processes on the port, or max; WORKERS (default: 1)')
    .option('--role <role>', 'all, api or worker; ROLE (default: all)')
    .addHelpText(
      'after',
      examples(
        ['rookery', 'the development app'],
        ['rookery serve --port 8080 --workers max', 'one process per core'],
        ['NODE_ENV=production rookery serve --host 0.0.0.0 --config rookery.json', 'your own apps'],
      ),
    )
    .action(async (options: ServeOptions) => {
      const given = Object.entries(variables).map(([option, variable]) => [
        variable,
        options[option as keyof ServeOptions],
      ]);
      const environment: NodeJS.ProcessEnv = {
        ...process.env,
        ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
        ...(options.config !== undefined && { CONFIG: undefined }),
      };
      // Before everything else: loading the server takes longer than the second after which clients come back.
      const port = await EarlyPort.open(environment);
      const server = await import('../../../server/src/serve.js');
      await server.serve(environment, port);
    });
