import { type Addition, type Additions, additionsFor } from './additions.js';
import { loadTypeScript, type TypeScript } from './load-typescript.js';
import { ModuleFile } from './module-file/module-file.js';
import type { AddOptions, Features } from './options.js';
import { findProject, type Project } from './project.js';
import { ProjectError } from './project-error.js';
import { filesBelow, folderOf, joined, type ProjectFiles } from './project-files.js';
import { askedFeatures, type Terminal } from './questions.js';
import { channelAccess } from './written/channel-access.js';
import { channelAccessSpec } from './written/channel-access-spec.js';
import { configFile } from './written/config-file.js';
import { envFile, ignoring } from './written/env-file.js';
import { withDependencies } from './written/manifest.js';
import { pushSpec } from './written/push-spec.js';

/** What was done. */
export interface Report {
  /** The paths of new and changed files. */
  readonly written: readonly string[];
  /** Sentences about the next steps. */
  readonly notes: readonly string[];
  /** Whether `package.json` has new dependencies, which are not installed. */
  readonly needsInstall: boolean;
}

/** Where it happens. */
export interface Surroundings {
  readonly terminal: Terminal;
  /** The range of `rookery` for a project that does not depend on it. */
  readonly kit: string;
  /** @default the project's own */
  readonly typescript?: TypeScript;
}

/**
 * Adds Rookery's modules to a Nest application, with a first authorizer, tests, and a configuration that reads `.env`. A second call changes nothing. Writes all files, or none if it throws.
 * @throws ProjectError if the project cannot be edited
 */
export async function addRookery(
  files: ProjectFiles,
  options: AddOptions,
  { terminal, kit, typescript }: Surroundings,
): Promise<Report> {
  const project = findProject(files, options);
  const module = new ModuleFile(
    typescript ?? loadTypeScript(files.root),
    project.module,
    files.read(project.module) ?? '',
  );
  const features = await askedFeatures(options, terminal);
  const end = extensionOf(module, project);
  const additions = additionsFor(features, {
    config: `./rookery/rookery.config${end}`,
    access: `./rookery/channel-access${end}`,
  });
  const missing = additions.entries.filter((entry) => !module.has(entry));
  checkOthers(files, project, missing);
  const texts = writtenTexts(files, project, { features, additions, end, kit, quote: module.quote });
  if (missing.length > 0) texts.set(project.module, module.with(missing));
  const written = [...texts].filter(([path, text]) => files.read(path) !== text);
  for (const [path, text] of written) files.write(path, text);
  const paths = written.map(([path]) => path);
  const present = additions.entries.filter((entry) => !missing.includes(entry));
  return {
    written: paths,
    notes: notesOn(files.read(project.module) ?? '', present, { project, features, paths }),
    needsInstall: paths.includes(joined(project.folder, 'package.json')),
  };
}

/** How the files of the project name each other: `./app.service.js`, `./app.service.ts` or `./app.service`. */
function extensionOf({ specifiers }: ModuleFile, { manifest }: Project): string {
  const relative = specifiers.find((each) => each.startsWith('.'));
  if (relative === undefined) return manifest.type === 'module' ? '.js' : '';
  return /\.[jt]s$/.exec(relative)?.[0] ?? '';
}

interface Wanted {
  readonly features: Features;
  readonly additions: Additions;
  /** The end of the names of files in imports. */
  readonly end: string;
  readonly kit: string;
  readonly quote: string;
}

/** The text of each file but the module's. Those that a developer may have changed are written only once. */
function writtenTexts(files: ProjectFiles, project: Project, wanted: Wanted): Map<string, string> {
  const { features, additions, end, kit, quote } = wanted;
  const { folder, module, runner, platform } = project;
  const texts = new Map<string, string>();
  const inStyle = (text: string): string => (quote === "'" ? text : text.replaceAll(`'`, quote));
  const once = (path: string, text: string) => files.read(path) === undefined && texts.set(path, inStyle(text));
  const own = joined(folderOf(module), 'rookery');
  const config = joined(own, 'rookery.config.ts');
  const present = files.read(config);
  const made = configFile(present, additions.constants);
  texts.set(config, present === undefined ? inStyle(made) : present + inStyle(made.slice(present.length)));
  if (features.channels) {
    once(joined(own, 'channel-access.ts'), channelAccess(features.push));
    const access = `./channel-access${end}`;
    if (runner) once(joined(own, 'channel-access.spec.ts'), channelAccessSpec({ runner, platform, access }));
  }
  if (features.push && runner) once(joined(own, 'push.spec.ts'), pushSpec({ runner, platform }));
  const env = joined(folder, '.env');
  texts.set(env, envFile(files.read(env), additions.variables));
  const ignored = files.read('.gitignore');
  if (ignored !== undefined) texts.set('.gitignore', ignoring(ignored));
  const manifest = joined(folder, 'package.json');
  texts.set(manifest, withDependencies(files.read(manifest)!, { rookery: kit, ...additions.dependencies }));
  return texts;
}

/** More files than an application has that imports Rookery. */
const maxSources = 5000;

/** Rookery's modules are imported once: none of the missing ones may be in another file of the application. */
function checkOthers(files: ProjectFiles, { module }: Project, missing: readonly Addition[]): void {
  const names = missing.filter(({ list }) => list === 'imports').map(({ name }) => name);
  if (names.length === 0) return;
  const called = new RegExp(`\\b(${names.join('|')})\\s*\\.\\s*forRoot`);
  for (const path of filesBelow(files, folderOf(module), /(?<!\.d|[.-]spec|[.-]test)\.ts$/).slice(0, maxSources)) {
    const text = path === module ? '' : (files.read(path) ?? '');
    const found = text.includes('rookery/') && called.exec(text)?.[1];
    if (found)
      throw new ProjectError(
        `${path} has ${found}.forRoot already, and an application imports it once: ` +
          `name that file by --module=${path}, or move its modules to ${module}`,
      );
  }
}

interface Done {
  readonly project: Project;
  readonly features: Features;
  readonly paths: readonly string[];
}

function notesOn(text: string, present: readonly Addition[], { project, features, paths }: Done): readonly string[] {
  const changed = present.flatMap(({ name, storage = [] }) =>
    storage
      .filter((option) => !text.includes(/^(\.\.\.)?\w+/.exec(option)![0]))
      .map((option) => `${project.module} has ${name} already: add ${option} to its options.`),
  );
  if (paths.length === 0) return [...changed, 'Everything is there already: nothing was changed.'];
  return [
    ...changed,
    ...(paths.some((path) => path.endsWith('.env'))
      ? [
          '.env contains secrets: set its variables elsewhere for production and CI, and keep it out of your repository.',
        ]
      : []),
    ...(!project.runner ? ['No test was written: it needs @nestjs/testing, and Jest or Vitest.'] : []),
    ...(features.channels
      ? ['Next: let a guard set request.user for ChannelAccess, which denies everyone until then.']
      : []),
  ];
}
