import { settingsTree, valueAt } from './settings-tree.js';
import type { Fields } from './converted-config.js';
import type { Variables } from './other-file.js';
import { type Convert, isObject, isUnset, structured } from './values.js';

/** A row of another server's table: what one of its settings becomes here. */
export interface Row {
  readonly path: string;
  /** The path of our setting. */
  readonly to: string;
  readonly convert: Convert<unknown>;
  /** The value of a setting that is not set: the other server's default, where ours is another. */
  readonly byDefault?: unknown;
  /** Our default, which the file need not contain. */
  readonly unless?: unknown;
}

/** The other ways to write a setting's name, if there are any. */
type Spellings = (name: string) => readonly string[];
const asWritten: Spellings = (name) => [name];

/** What a file contains, and what became of it. */
interface Reading {
  readonly content: Fields;
  /** The variables by the paths of their settings. */
  readonly variables: ReadonlyMap<string, string>;
  /** The paths of settings that were converted, each with everything below it. */
  readonly converted: Set<string>;
  /** The paths of settings whose values could not be. */
  readonly refused: Set<string>;
}

/**
 * The settings of another server, by their paths. They remember which were converted: the rest is reported, so that none
 * is dropped silently.
 */
export class OtherSettings {
  private constructor(
    private readonly reading: Reading,
    private readonly base = '',
    private readonly spellings = asWritten,
  ) {}

  static ofJson(content: Fields): OtherSettings {
    return OtherSettings.of(content, new Map());
  }

  /** @param paths the variables that are settings, with the paths of these */
  static ofVariables(variables: Variables, paths: readonly (readonly [name: string, path: string])[]): OtherSettings {
    const set = paths.filter(([name]) => variables[name] !== undefined);
    const content = Object.fromEntries(set.map(([name, path]) => [path, structured(variables[name]!)]));
    return OtherSettings.of(content, new Map(set.map(([name, path]) => [path, name])));
  }

  private static of(content: Fields, variables: ReadonlyMap<string, string>): OtherSettings {
    return new OtherSettings({ content: settingsTree(content), variables, converted: new Set(), refused: new Set() });
  }

  /** What a table makes of these settings. */
  convert(table: readonly Row[]): Fields {
    const values = table.map(({ path, to, convert, byDefault, unless }) => {
      const value = this.read(path, convert) ?? byDefault;
      return [to, value === unless ? undefined : value] as const;
    });
    return settingsTree(Object.fromEntries(values));
  }

  read<T>(name: string, convert: Convert<T>): T | undefined {
    let result: T | undefined;
    for (const path of this.paths(name)) {
      const value = this.valueAt(path);
      // An empty list may mean something, too.
      if (isUnset(value) && !Array.isArray(value)) continue;
      const converted = convert(value);
      (converted === undefined ? this.reading.refused : this.reading.converted).add(path);
      result ??= converted ?? undefined;
    }
    return result;
  }

  /** Whether there is such a setting, even an empty object. */
  has(name: string): boolean {
    return this.paths(name).some((path) => ![undefined, null, false].includes(this.valueAt(path) as null));
  }

  /** The objects of a list, or undefined if there is no list. */
  list(name: string, spellings = asWritten): readonly OtherSettings[] | undefined {
    const path = this.paths(name).find((each) => !isUnset(this.valueAt(each)));
    const value = path === undefined ? undefined : this.valueAt(path);
    // Variables name single fields of a list: appManager.array.apps.0.id
    const isList = Array.isArray(value) || (isObject(value) && Object.keys(value).every((key) => /^\d+$/.test(key)));
    if (!isList) return undefined;
    return Object.keys(value as object).map((key) => new OtherSettings(this.reading, `${path}.${key}.`, spellings));
  }

  /** Reports the settings at or below a path that were not converted, with a reason. */
  explain(name: string, reason: string): string[] {
    const names = this.paths(name).flatMap((path) => this.restAt(path).map((each) => each.name));
    for (const path of this.paths(name)) this.reading.converted.add(path);
    return names.length > 0 ? [`${names.join(', ')}: ${reason}`] : [];
  }

  /** Reports all other settings that were not converted, a line each. */
  rest(): string[] {
    return Object.keys(this.reading.content)
      .flatMap((key) => this.restAt(key))
      .map(({ name, isRefused }) =>
        isRefused ? `${name} has a value that cannot be converted` : `${name} has no counterpart in Rookery`,
      );
  }

  private paths(name: string): readonly string[] {
    return this.spellings(name).map((spelling) => this.base + spelling);
  }

  private valueAt(path: string): unknown {
    return valueAt(this.reading.content, path);
  }

  /** The settings at or below a path that are set and were not converted. */
  private restAt(path: string, value = this.valueAt(path)): { readonly name: string; readonly isRefused: boolean }[] {
    const { converted, refused } = this.reading;
    if (isUnset(value) || converted.has(path)) return [];
    const isRefused = refused.has(path);
    if (typeof value !== 'object' || isRefused) return [{ name: this.nameOf(path), isRefused }];
    return Object.entries(value as object).flatMap(([key, each]) => this.restAt(`${path}.${key}`, each));
  }

  /** The variable of a setting, or its path. */
  private nameOf(path: string): string {
    const { variables } = this.reading;
    for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
      const variable = variables.get(path.slice(0, end));
      if (variable !== undefined) return variable + path.slice(end);
    }
    return path;
  }
}
