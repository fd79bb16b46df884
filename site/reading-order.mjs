import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The pages in the order in which one reads them, by their paths in the repository. One that is not there is left out. */
const order = [
  [
    'Begin',
    [
      'docs/index.md',
      'docs/concepts.md',
      'docs/private-channel.md',
      'docs/troubleshooting.md',
      'docs/command-line.md',
      'docs/migrating.md',
      'docs/mirror.md',
      'docs/comparison.md',
      'docs/conformance.md',
    ],
  ],
  [
    'Channels',
    [
      'docs/channels.md',
      'docs/events.md',
      'docs/authorization.md',
      'docs/client-events.md',
      'docs/state.md',
      'docs/receipts.md',
      'docs/streams.md',
      'docs/ai.md',
      'docs/hooks.md',
      'docs/tabs.md',
      'docs/typed-events.md',
      'docs/edge.md',
      'docs/sdks/*',
    ],
  ],
  ['Push', ['docs/push.md', 'docs/live-activities.md', 'docs/notifications.md', 'docs/own-device-storage.md']],
  ['Embedding', ['docs/embedding.md', 'docs/transactions.md', 'docs/other-orms.md', 'docs/testing.md']],
  [
    'Running it',
    [
      'docs/server.md',
      'docs/three-machines.md',
      'docs/storage.md',
      'docs/scaling.md',
      'docs/security.md',
      'docs/reliability.md',
      'docs/delivery.md',
      'docs/apps.md',
      'docs/operating.md',
      'docs/console.md',
      'docs/performance.md',
    ],
  ],
  ['Reference', ['docs/options.md', 'docs/limits.md', 'docs/http-api.md', 'docs/protocol/*']],
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
