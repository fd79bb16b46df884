import type { Type } from '@nestjs/common';
import { isObject } from '../is-object.js';
import { built } from './built.js';
import { nearest } from './nearest.js';
import { isIndex, pathText } from './path-text.js';
import { type Violation, violationIn } from './violation.js';

/** Adapts error messages to their reader: a host configures modules in code, the server's operator edits a file. */
export interface SettingsOrigin {
  /** The module whose `forRoot` was given the settings. */
  readonly module?: string;
  /** The path of the settings in a file, such as `instances[0].fcm`. */
  readonly path?: string;
  /** The other arguments of `forRoot`: the ports. */
  readonly ports?: readonly string[];
}

/**
 * The settings of a class from plain ones, with every default filled in.
 *
 * @throws Error naming the setting by its path, such as `apps[0].key`, what is expected and what kind of value it got:
 * values may be secrets. An unknown setting is an error, since a misspelt one would go unnoticed.
 */
export function settingsOf<T extends object>(of: Type<T>, plain: unknown, place: SettingsOrigin = {}): T {
  const { module, path } = place;
  const said = (text: string): Error => new Error(`${module ? `${module}: ` : ''}${path ? `${path}.` : ''}${text}`);
  if (!isObject(plain)) throw new Error(`${path ?? module ?? 'settings'} must be an object, got ${kindOf(plain)}`);
  const { value, strangers } = built(of, plain);
  const [stranger] = strangers;
  if (stranger) throw said(unknownText(stranger, place));
  const violation = violationIn(value);
  if (violation) throw said(wrongText(violation));
  return value;
}

const asyncNames = ['useFactory', 'useClass', 'useExisting', 'inject', 'imports', 'provideInjectionTokensFrom'];

/** Refuses options that would be ignored beside the factory of `forRootAsync`. */
export function checkAsyncOptions(options: object, { module = '', ports = [] }: SettingsOrigin): void {
  const known = [...new Set([...asyncNames, ...ports])];
  const stranger = Object.keys(options).find((name) => !known.includes(name));
  if (stranger === undefined) return;
  const text = `${module}: forRootAsync takes no ${stranger} beside its factory; known are`;
  throw new Error(`${text} ${known.join(', ')}. Return settings from useFactory`);
}

// class-validator's own rules, worded like ours: their messages begin with the property's name.
const expected: Readonly<Record<string, (args: readonly unknown[]) => string>> = {
  isArray: () => 'must be an array',
  isBoolean: () => 'must be true or false',
  isIn: ([allowed]) => `must be one of ${(allowed as readonly string[]).join(', ')}`,
  isObject: () => 'must be an object',
};

function wrongText({ path, rule, args, value, message = '', context }: Violation): string {
  const got = typeof value === context?.['shown'] ? shown(value) : kindOf(value);
  // Rules of ours say `<field> must be …`; here the field has its whole path.
  return `${pathText(path)} ${expected[rule]?.(args) ?? message.replace(/^\S+ /, '')}, got ${got}`;
}

function unknownText({ path, args }: Violation, { module, ports = [] }: SettingsOrigin): string {
  const name = path.at(-1) ?? '';
  if (path.length === 1 && ports.includes(name))
    return `${name} stands beside useFactory: write forRootAsync({ useFactory, ${name}: … })`;
  const known = [...(args as readonly string[]), ...(path.length === 1 ? ports : [])];
  const meant = nearest(name, known);
  const line = module && meant ? `. Write forRoot(${lineOf([...path.slice(0, -1), meant])})` : '';
  return `${pathText(path)} is not a setting; known are ${known.join(', ')}${line}`;
}

/** `{ apps: [{ key: … }] }` */
function lineOf([part, ...rest]: readonly string[]): string {
  if (part === undefined) return '…';
  return isIndex(part) ? `[${lineOf(rest)}]` : `{ ${part}: ${lineOf(rest)} }`;
}

/** Rules for non-secret values name in their context the types that may be shown. */
const shown = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value) : String(value));

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return value === '' ? 'an empty text' : typeof value;
}
