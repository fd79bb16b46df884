// Runs the stories of the official SDKs and of the AI SDK against their newest releases, and prints which releases and
// stories differ from those that CI runs: `npm run fresh -- --only sdks`. Works on a copy of this folder, and needs the
// network.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './from-sources.mjs';
import { linkModules } from './linked-modules.mjs';

const sdks = [
  'pusher-js',
  'laravel-echo',
  'pusher',
  '@pusher/push-notifications-web',
  '@pusher/push-notifications-server',
  'ai',
];
const usesSdk = new RegExp(
  `['"/](${sdks.join('|')}|ai-chat)['"/]|support/(pusher-js|pusher-of-react-native|cluster)\\.js'|/ai(-chat)?\\.js'`,
);

const copy = mkdtempSync(join(tmpdir(), 'rookery-sdks-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));

const run = (command, args, options) => spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
const versionIn = (modules, name) => JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')).version;

/** @returns the names of the stories that failed */
function failing(project, files) {
  const report = join(copy, `${project}.json`);
  const reporter = ['--reporter', 'json', '--outputFile', report];
  run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--project', project, ...reporter, ...files], {
    cwd: copy,
  });
  const { testResults, numPassedTests } = JSON.parse(readFileSync(report, 'utf8'));
  console.log(`${project}: ${numPassedTests} stories of ${testResults.length} files passed`);
  return testResults.flatMap(({ name, message, assertionResults }) => [
    ...(message ? [`${name}: ${message}`] : []),
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages: [why] }) => `${fullName}: ${String(why ?? 'failed').split('\n')[0]}`),
  ]);
}

const tracked = run('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root }).stdout.trimEnd().split('\n');
for (const file of tracked) cpSync(join(root, file), join(copy, file));
for (const dist of ['dist', 'libs/console/dist', 'libs/sdk/dist', 'libs/testing/dist', 'apps/conformance/dist'])
  if (existsSync(join(root, dist))) symlinkSync(join(root, dist), join(copy, dist));

const folder = join(copy, 'newest-sdks');
const install = ['install', '--prefix', folder, '--no-audit', '--no-fund', ...sdks.map((name) => `${name}@latest`)];
const { status, stderr } = run('npm', install, { cwd: copy });
if (status !== 0) throw new Error(`The newest SDKs cannot be installed:\n${stderr}`);
const newest = join(folder, 'node_modules');
// The newest SDKs in place of this folder's.
linkModules(root, copy, (name) => join(sdks.includes(name) ? newest : join(root, 'node_modules'), name));
for (const name of sdks) {
  const [ours, theirs] = [versionIn(join(root, 'node_modules'), name), versionIn(newest, name)];
  console.log(`${name} ${ours === theirs ? `${ours} is the newest` : `${ours} -> ${theirs}`}`);
}

const stories = tracked.filter(
  (file) =>
    /^test\/(?!console|docs|package|soak).*\.spec\.ts$/.test(file) &&
    usesSdk.test(readFileSync(join(root, file), 'utf8')),
);
const failed = ['node', 'services'].flatMap((project) => failing(project, stories));
for (const each of failed) console.log(`differs: ${each}`);
process.exit(failed.length === 0 ? 0 : 1);
