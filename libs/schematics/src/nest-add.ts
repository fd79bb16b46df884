import { addRookery } from './add-rookery.js';
import type { AddOptions } from './options.js';
import { ProjectFiles } from './project-files.js';

// The parts of @angular-devkit/schematics that are used, by their shape: the kit does not depend on it.

/** A folder of a {@link Tree}. */
interface DirEntry {
  readonly subfiles: readonly string[];
  readonly subdirs: readonly string[];
}

/** The files of the project, with changes that are written at the end, or shown by `--dry-run`. */
export interface Tree {
  readText(path: string): string;
  exists(path: string): boolean;
  create(path: string, text: string): void;
  overwrite(path: string, text: string): void;
  getDir(path: string): DirEntry;
}

export interface SchematicContext {
  readonly logger: { info(text: string): void };
  addTask(task: { toConfiguration(): { readonly name: string; readonly options: object } }): unknown;
}

/** The files of a tree, whose root is the folder in which the Nest command runs. */
class TreeFiles extends ProjectFiles {
  readonly root = process.cwd();

  constructor(private readonly tree: Tree) {
    super();
  }

  read(path: string): string | undefined {
    return this.tree.exists(path) ? this.tree.readText(path) : undefined;
  }

  write(path: string, text: string): void {
    if (this.tree.exists(path)) this.tree.overwrite(path, text);
    else this.tree.create(path, text);
  }

  list(folder: string) {
    const { subfiles, subdirs } = this.tree.getDir(`/${folder}`);
    return { files: subfiles, folders: subdirs };
  }
}

/** `npm install`, or that of the project's package manager. */
const install = {
  toConfiguration: () => ({
    name: 'node-package',
    options: { command: 'install', quiet: true, workingDirectory: '.' },
  }),
};

/** The flags of the Nest command itself, which it passes on. */
interface NestFlags {
  readonly skipInstall?: boolean;
  readonly s?: boolean;
}

/** The schematic of `nest add rookery`, which has installed the package before. */
export const nestAdd =
  ({ skipInstall, s = skipInstall, ...options }: AddOptions & NestFlags) =>
  async (tree: Tree, context: SchematicContext): Promise<void> => {
    const { notes, needsInstall } = await addRookery(new TreeFiles(tree), options, {
      terminal: process,
      kit: 'latest',
    });
    if (needsInstall && !s) context.addTask(install);
    for (const note of notes) context.logger.info(note);
  };
