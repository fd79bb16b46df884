import { InvalidArgumentError } from 'commander';
import { fileText } from '../../../server/src/config/file-text.js';
import { lineOf } from '../fault.js';

type Settings = Readonly<Record<string, unknown>>;

/** Adds a `--set name=value`: the value is parsed as JSON, otherwise kept as text. */
export function setting(text: string, before: Settings = {}): Settings {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be name=value, such as clientEvents=true');
  return { ...before, [text.slice(0, at)]: valueOf(text.slice(at + 1)) };
}

/** Adds a `--unset name`: null restores the default of a setting. */
export const unset = (name: string, before: Settings = {}): Settings => ({ ...before, [name]: null });

/** The settings in a file, or on stdin for `-`. */
export function settingsIn(path: string): Settings {
  try {
    const parsed: unknown = JSON.parse(fileText(path === '-' ? 0 : path));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Settings;
  } catch (error) {
    throw new InvalidArgumentError(`It cannot be read as JSON: ${lineOf(error)}`);
  }
  throw new InvalidArgumentError('It must contain a JSON object');
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
