import { type ConsoleOptions, minCharacters } from '@rookery/console';
import type { ConsoleInFile } from './config-file.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * When the console is enabled: with a password, or in development on this machine.
 * @throws Error naming the variable or the setting of the file
 */
export function consoleOf(
  { CONSOLE_PASSWORD: ofEnvironment, NODE_ENV: nodeEnv }: Environment,
  file: Partial<ConsoleInFile> | undefined,
  isDevelopment: boolean,
): ConsoleOptions | undefined {
  const password = ofEnvironment || file?.password;
  const { password: _ofFile, ...shown } = file ?? {};
  if (password === undefined) {
    if (isDevelopment) return { development: true, ...shown };
    if (file) throw new Error('set console.password, or CONSOLE_PASSWORD in the environment');
    return undefined;
  }
  if (nodeEnv === 'production' && password.length < minCharacters) {
    const name = ofEnvironment ? 'CONSOLE_PASSWORD' : 'console.password';
    throw new Error(`${name} must have at least ${minCharacters} characters in production`);
  }
  return { ...shown, password };
}
