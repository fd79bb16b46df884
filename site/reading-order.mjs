import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The pages by task, in the order in which one reads them, by their paths in the repository. One that is not there is left out. */
const order = [
  ['Begin', ['docs/index.md', 'docs/concepts.md', 'docs/private-channel.md', 'docs/recipes.md']],
  ['Install and embed it', ['docs/server.md', 'docs/embedding.md', 'docs/testing.md']],
  [
    'Send and receive events',
    [
      'docs/channels.md',
      'docs/events.md',
      'docs/client-events.md',
      'docs/typed-events.md',
      'docs/hooks.md',
      'docs/tabs.md',
      'docs/edge.md',
      'docs/sdks/*',
    ],
  ],
  ['Decide who may listen', ['docs/authorization.md', 'docs/apps.md', 'docs/security.md']],
  [
    'Share state, ask and answer',
    ['docs/state.md', 'docs/requests.md', 'docs/receipts.md', 'docs/streams.md', 'docs/ai.md'],
  ],
  ['Lose no event', ['docs/reliability.md', 'docs/transactions.md', 'docs/other-orms.md', 'docs/delivery.md']],
  [
    'Notify devices',
    [
      'docs/push.md',
      'docs/push-module.md',
      'docs/notifications.md',
      'docs/live-activities.md',
      'docs/own-device-storage.md',
    ],
  ],
  [
    'Run it in production',
    ['docs/three-machines.md', 'docs/storage.md', 'docs/scaling.md', 'docs/operating.md', 'docs/performance.md'],
  ],
  ['Find out what went wrong', ['docs/troubleshooting.md', 'docs/console.md', 'docs/command-line.md']],
  [
    'Move here from another server',
    [
      'docs/comparison.md',
      'docs/not-included.md',
      'docs/migrating.md',
      'docs/mirror.md',
      'docs/socket-io.md',
      'docs/conformance.md',
    ],
  ],
  ['Look something up', ['docs/options.md', 'docs/limits.md', 'docs/http-api.md', 'docs/protocol/*']],
  ['The project', ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'RELEASING.md', 'SECURITY.md', 'docs/adr/*']],
];

/**
 * The groups of the navigation, each with the paths of its pages. Pages that no group names are in the last one.
 * @returns {{ text: string, paths: string[] }[]}
 */
export function readingOrder(root) {
  const groups = order.map(([text, paths]) => ({ text, paths: paths.flatMap((path) => matching(root, path)) }));
  const named = new Set(groups.flatMap(({ paths }) => paths));
  const others = pagesBelow(root, 'docs').filter((path) => !named.has(path));
  return [...groups, { text: 'More', paths: others }].filter(({ paths }) => paths.length > 0);
}

function matching(root, path) {
  if (!path.endsWith('/*')) return existsSync(join(root, path)) ? [path] : [];
  // A folder's README tells what the others are.
  const pages = pagesBelow(root, path.slice(0, -2));
  return [
    ...pages.filter((page) => page.endsWith('README.md')),
    ...pages.filter((page) => !page.endsWith('README.md')),
  ];
}

function pagesBelow(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((path) => path.endsWith('.md'))
    .sort();
}
