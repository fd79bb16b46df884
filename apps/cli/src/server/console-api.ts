import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { RequestFailed } from '@rookery/client/server';
import { Fault, lineOf, Refused } from '../fault.js';
import { answered } from './answers.js';
import { withUrlOption } from './app-options.js';
import { configuration, urlOf } from './configuration.js';

/** The server, and the credentials of its console. */
export interface ConsoleOptions {
  readonly url?: string;
  readonly passwordFile?: string;
}

export const withConsoleOptions = (command: Command): Command => withUrlOption(command).option(...passwordOption);

export const passwordOption = [
  '--password-file <file>',
  'file with the password of the console (default: CONSOLE_PASSWORD, or as configured)',
] as const;

const howToPass = 'pass it by CONSOLE_PASSWORD or --password-file';

/** Longer than a push service may take to answer a test. */
const patienceMs = 20_000;

/** The headers that authenticate a request. */
type Credentials = Readonly<Record<string, string>>;

/** The API of a running server's console. */
export class ConsoleApi {
  private constructor(
    private readonly url: string,
    private readonly credentials: Credentials,
  ) {}

  static async of({ url, passwordFile }: ConsoleOptions): Promise<ConsoleApi> {
    const ofEnvironment = process.env['CONSOLE_PASSWORD']?.trim();
    const config = url !== undefined && (passwordFile ?? ofEnvironment) ? undefined : await configuration();
    const password = passwordFile === undefined ? ofEnvironment || config?.console?.password : contents(passwordFile);
    const at = url ?? urlOf(config!); // The configuration was read because no URL is given.
    return new ConsoleApi(at, password ? { authorization: `Bearer ${password}` } : await developmentSession(at));
  }

  /** @throws Fault that explains in one line why there is no answer, or what was refused */
  ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    return answered(
      this.url,
      this.request(method, path, AbortSignal.timeout(patienceMs), body).then(contentOf<Answer>),
    );
  }

  /** A stream of server-sent events. @throws Fault as {@link ask} */
  stream(path: string, signal: AbortSignal): Promise<Response> {
    return answered(this.url, this.request('GET', path, signal));
  }

  private async request(method: string, path: string, signal: AbortSignal, body?: unknown): Promise<Response> {
    const response = await fetch(`${this.url}/console/api/${path}`, {
      method,
      headers: { ...this.credentials, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    });
    if (response.ok) return response;
    const text = await response.text();
    if (response.status === 401)
      throw new Refused(`${this.url} answers 401: the password of the console is missing or wrong: ${howToPass}`);
    throw new RequestFailed(response, text);
  }
}

/** In development there is no password, but still a token, bound to a cookie. */
async function developmentSession(url: string): Promise<Credentials> {
  const response = await answered(url, fetch(`${url}/console/api/session`));
  const { csrfToken } = (await response.json().catch(() => ({}))) as { readonly csrfToken?: string | null };
  const cookie = response.headers.getSetCookie()[0]?.split(';', 1)[0];
  if (!response.ok || !csrfToken) throw new Fault(`the console at ${url} needs a password: ${howToPass}`);
  return { 'x-csrf-token': csrfToken, ...(cookie !== undefined && { cookie }) };
}

async function contentOf<Answer>(response: Response): Promise<Answer> {
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as Answer; // The types are the console's.
}

function contents(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new Fault(`--password-file: ${lineOf(error)}`);
  }
}
