const key = Symbol.for('rookery.folder');

/**
 * Warns where another copy of the package is loaded in this process: each has its own classes, so Nest injects nothing
 * from one into the other, and its error names only the class.
 * @param folder where this copy is
 */
export function warnOfOtherCopy(folder: string): void {
  const loaded = globalThis as { [key]?: string };
  const first = (loaded[key] ??= folder);
  if (first === folder) return;
  process.emitWarning(
    `Two copies of rookery are loaded, ${first} and ${folder}. Nest injects nothing from one into the other: ` +
      'install one version, `npm ls rookery` shows who needs which',
  );
}
