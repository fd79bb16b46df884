import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DocBlock } from './doc-blocks.js';

/** A page whose code is taken from files that tests run. */
export interface ComparedPage {
  readonly page: string;
  readonly languages: readonly string[];
  /** Those that the code is taken from. */
  readonly files: readonly string[];
}

const filesIn = (folder: string) =>
  readdirSync(join(import.meta.dirname, '../..', folder)).map((name) => `${folder}/${name}`);
const embedding = filesIn('test/docs/embedding');

/** All of them. That they show what is in the files is what snippets.spec.ts looks after. */
export const comparedPages: readonly ComparedPage[] = [
  {
    page: 'docs/recipes.md',
    languages: ['ts', 'js'],
    files: [...filesIn('test/docs/recipes'), 'test/docs/recipes.spec.ts'],
  },
  { page: 'docs/authorization.md', languages: ['ts'], files: ['test/support/authorizing-host.ts'] },
  { page: 'docs/transactions.md', languages: ['ts'], files: ['test/support/ordering-host.ts'] },
  { page: 'docs/client-events.md', languages: ['ts'], files: embedding },
  { page: 'docs/notifications.md', languages: ['ts'], files: embedding },
  {
    page: 'docs/own-device-storage.md',
    languages: ['ts'],
    files: ['test/docs/own-device-storage.spec.ts'],
  },
  {
    page: 'docs/private-channel.md',
    languages: ['js', 'html'],
    files: ['test/docs/private-channel/server.mjs', 'test/docs/private-channel/index.html'],
  },
  {
    page: 'docs/streams.md',
    languages: ['ts', 'js'],
    files: [...embedding, 'examples/streamed-answers/public/index.html'],
  },
  {
    page: 'docs/tabs.md',
    languages: ['js'],
    files: ['tabs-worker', 'page'].map((name) => `examples/shared-tabs/public/${name}.js`),
  },
  { page: 'docs/state.md', languages: ['ts', 'js'], files: ['test/states/documented-state.e2e.spec.ts'] },
  {
    page: 'docs/requests.md',
    languages: ['ts', 'js'],
    files: [
      'test/requests/game-host.ts',
      'test/requests/client-requests.e2e.spec.ts',
      'test/requests/questions.e2e.spec.ts',
    ],
  },
  { page: 'docs/socket-io.md', languages: ['ts'], files: ['test/host/leaving-socket-io.cluster.spec.ts'] },
  { page: 'docs/receipts.md', languages: ['ts', 'js'], files: ['test/receipts/documented-receipts.e2e.spec.ts'] },
  {
    page: 'docs/hooks.md',
    languages: ['js', 'jsx', 'ts', 'vue'],
    files: ['react/main.jsx', 'react/Room.jsx', 'react/Typing.jsx', 'vue/main.js', 'vue/Room.vue', 'typed.ts'].map(
      (name) => `test/hooks/pages/${name}`,
    ),
  },
  { page: 'docs/ai.md', languages: ['ts'], files: embedding },
  { page: 'docs/live-activities.md', languages: ['ts'], files: ['test/push/live-activities.e2e.spec.ts'] },
  {
    page: 'docs/testing.md',
    languages: ['ts'],
    files: ['test/host/testing.e2e.spec.ts', 'test/simulation/host.spec.ts', 'test/soak/simulated-host.spec.ts'],
  },
  { page: 'libs/console/README.md', languages: ['ts'], files: embedding },
  { page: 'libs/testing/README.md', languages: ['ts'], files: ['test/host/testing.e2e.spec.ts'] },
  { page: 'docs/typed-events.md', languages: ['ts'], files: ['test/trigger/typed-events.e2e.spec.ts'] },
  {
    page: 'docs/embedding.md',
    languages: ['ts', 'js'],
    files: ['test/support/authorizing-host.ts', ...embedding],
  },
];

export const isCompared = ({ page, language }: Pick<DocBlock, 'page' | 'language'>): boolean =>
  comparedPages.some((compared) => compared.page === page && compared.languages.includes(language));
