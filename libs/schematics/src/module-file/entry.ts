/** An exported name, and the module that it is imported from. */
export interface ExportedName {
  readonly name: string;
  readonly from: string;
}

/** An element of a list of `@Module({ … })`. */
export interface ModuleEntry extends ExportedName {
  readonly list: 'imports' | 'providers';
  /** The properties of the argument of `forRoot`, in source text; a provider has none and no call. */
  readonly options?: readonly string[];
  /** The names in `options` that are imported. */
  readonly uses?: readonly ExportedName[];
}

/** How the file is written. */
export interface SourceStyle {
  readonly quote: string;
  readonly semicolon: string;
  readonly newline: string;
  /** One level of indentation. */
  readonly unit: string;
}

/** The `printWidth` of the Prettier configuration that `nest new` writes: its default. */
export const printWidth = 80;

/** The source text of an entry, broken into lines if it is too long. */
export function entryText(
  { list, name, options = [] }: ModuleEntry,
  local: (name: string) => string,
  indent: string,
  { unit, newline, quote }: SourceStyle,
): string {
  if (list === 'providers') return local(name);
  const properties = options.map((option) =>
    option.replaceAll(/\.{0,3}\b[A-Za-z]\w*\b(?!\s*:)/g, (word) => renamed(word, local)).replaceAll(`'`, quote),
  );
  const call = `${local(name)}.forRoot`;
  if (properties.length === 0) return `${call}()`;
  const line = `${call}({ ${properties.join(', ')} })`;
  if (indent.length + line.length < printWidth) return line;
  return [`${call}({`, ...properties.map((property) => `${indent}${unit}${property},`), `${indent}})`].join(newline);
}

/** Spreads are renamed, members of objects (`.named`) are not. */
const renamed = (word: string, local: (name: string) => string): string =>
  word.startsWith('...') ? `...${local(word.slice(3))}` : word.startsWith('.') ? word : local(word);
