/** The files of a project. Paths are relative to its root and use `/`. */
export abstract class ProjectFiles {
  /** The absolute path of the root. */
  abstract readonly root: string;

  /** The text of a file, undefined if it does not exist. */
  abstract read(path: string): string | undefined;

  /** Creates or replaces a file. */
  abstract write(path: string, text: string): void;

  /** The names of a folder's files and folders, empty if it does not exist. */
  abstract list(folder: string): { readonly files: readonly string[]; readonly folders: readonly string[] };
}

const notSources = /^(\..*|node_modules|dist|build|coverage|tmp)$/;
/** More folders than any application has: a search that starts too far up must end. */
const maxFolders = 5000;

/** The files below a folder whose path matches. Hidden folders, packages and build output are skipped. */
export function filesBelow(files: ProjectFiles, folder: string, matching: RegExp): readonly string[] {
  const found: string[] = [];
  const folders = [folder];
  for (let visited = 0; visited < folders.length && visited < maxFolders; visited++) {
    const path = folders[visited]!;
    const within = files.list(path);
    found.push(...within.files.map((name) => joined(path, name)).filter((file) => matching.test(file)));
    folders.push(...within.folders.filter((name) => !notSources.test(name)).map((name) => joined(path, name)));
  }
  return found.toSorted();
}

export const joined = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** The folder of a file, `''` for the root. */
export const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0));
