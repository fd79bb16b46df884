import { parseArgs } from 'node:util';
import { documented, rows } from './rows/index.mjs';

export const usage = `npm run bench -- [options]
  --only NAMES     rows to measure, by commas: ${Object.keys(rows).join(', ')}
  --quick          fewer and smaller cases, half a second each
  --runs N         alternating runs, of which the median is told (1; with --docs 5); rows that take long run once
  --seconds N      measured seconds of each case (1)
  --minutes N      how long connections come and go in the row churn (ten rounds)
  --clients N      how many the row jitter has (10000)
  --alone          without the reference servers
  --floor FILE     a program that only sends frames, beside ours in the row latency; see bench/rows/latency.mjs
  --uws FOLDER     a build of uWebSockets.js, measured in the row cost; see bench/rows/delivery-cost.mjs
  --url URL        a Pusher-compatible server that runs already, measured beside ours; needs
  --id ID --key KEY --secret SECRET
  --json FILE      where results are written (bench/results/latest.json)
  --docs           writes the figures into their places in docs/; fewer rows and cases
  --stale          measures nothing: lists figures in docs/ whose code has changed since, and fails if there are any
`;

const texts = ['only', 'runs', 'seconds', 'minutes', 'clients', 'url', 'id', 'key', 'secret', 'json', 'floor', 'uws'];
const flags = ['quick', 'alone', 'docs', 'stale', 'help'];

/** The command line; a name that is not known is an error, not silence. */
export function readOptions(args) {
  const text = { type: 'string' };
  const flag = { type: 'boolean', default: false };
  const { values } = parseArgs({
    args,
    options: Object.fromEntries([...texts.map((name) => [name, text]), ...flags.map((name) => [name, flag])]),
  });
  const names = values.only?.split(',') ?? (values.docs ? documented : Object.keys(rows));
  for (const name of names) if (!rows[name]) throw new Error(`--only: there is no row ${name}\n\n${usage}`);
  if (values.url && !(values.id && values.key && values.secret))
    throw new Error('--url needs --id, --key and --secret of an app of that server');
  const seconds = Number(values.seconds ?? (values.quick ? 0.5 : 1));
  return {
    ...values,
    names,
    seconds,
    minutes: Number(values.minutes ?? 0),
    clients: values.clients && Number(values.clients),
    runs: Number(values.runs ?? (values.docs ? 5 : 1)),
  };
}
