import { settingsTree, valueAt } from './settings-tree.js';
import type { Fields } from './converted-config.js';
import { amountOf, isObject, isText, isUnset, structured, textOf, yesOrNo } from './values.js';

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

  /** @param variables the values, and the paths of their settings, by the names of the variables */
  static ofVariables(variables: Readonly<Record<string, { readonly path: string; readonly value: string }>>) {
    const all = Object.entries(variables);
    const content = Object.fromEntries(all.map(([, { path, value }]) => [path, structured(value)]));
    return OtherSettings.of(content, new Map(all.map(([name, { path }]) => [path, name])));
  }

  private static of(content: Fields, variables: ReadonlyMap<string, string>): OtherSettings {
    return new OtherSettings({ content: settingsTree(content), variables, converted: new Set(), refused: new Set() });
  }

  text(name: string): string | undefined {
    return this.convert(name, textOf);
  }

  oneOf<T extends string>(name: string, known: readonly T[]): T | undefined {
    return this.convert(name, (value) => known.find((each) => each === value));
  }

  /** A whole number; other servers use -1 for no limit. */
  limit(name: string): number | undefined {
    return this.convert(name, (value) => amountOf(value, Number.isInteger));
  }

  /** A number of units, in smaller ones: `amount('maxPayloadInKb', 1024)`. */
  amount(name: string, unit: number): number | undefined {
    const amount = this.convert(name, (value) => amountOf(value, Number.isFinite));
    return amount === undefined ? undefined : Math.round(amount * unit);
  }

  isYes(name: string): boolean | undefined {
    return this.convert(name, yesOrNo);
  }

  url(name: string): URL | undefined {
    return this.convert(name, (value) => (isText(value) && URL.canParse(value) ? new URL(value) : undefined));
  }

  /** The texts of a list; an empty list is one, too. */
  texts(name: string): readonly string[] | undefined {
    const isEmpty = this.paths(name).some((path) => Array.isArray(this.valueAt(path)) && isUnset(this.valueAt(path)));
    if (isEmpty) return [];
    return this.convert(name, (value) => (Array.isArray(value) && value.every(isText) ? value : undefined));
  }

  object(name: string): Fields | undefined {
    return this.convert(name, (value) => (isObject(value) ? value : undefined));
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

  private convert<T>(name: string, conversion: (value: unknown) => T | null | undefined): T | undefined {
    let result: T | undefined;
    for (const path of this.paths(name)) {
      const value = this.valueAt(path);
      if (isUnset(value)) continue;
      const converted = conversion(value);
      (converted === undefined ? this.reading.refused : this.reading.converted).add(path);
      result ??= converted ?? undefined;
    }
    return result;
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
