import cluster from 'node:cluster';
import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import { styleText } from 'node:util';
import type { LogThreshold } from './config/config.js';
import { visible, visibleLines } from './visible-text.js';

/** Whether a person is likely to read the log: on a terminal, unless this is production. */
export const isReadAlong = (): boolean => process.stdout.isTTY && process.env['NODE_ENV'] !== 'production';

/** Where Nest logs what fails the boot or the listening, with its stack; `main.ts` says it in one line. */
const bootFailures: readonly unknown[] = ['ExceptionHandler', 'NestApplication'];

/** What Nest says of its own work: a line for each module and each route. */
const framework: readonly unknown[] = [
  'InstanceLoader',
  'NestApplication',
  'NestApplicationContext',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
];

/** Nest's levels that each level of ours shows. */
const shown: Readonly<Record<LogThreshold, LogLevel[]>> = {
  error: ['fatal', 'error'],
  warn: ['fatal', 'error', 'warn'],
  info: ['fatal', 'error', 'warn', 'log'],
  debug: ['fatal', 'error', 'warn', 'log', 'debug', 'verbose'],
};

/** The server's log: JSON, one object a line, or lines for people. */
export class ServerLogger extends ConsoleLogger {
  constructor(
    private readonly threshold: LogThreshold = 'info',
    private readonly isForPeople = isReadAlong(),
  ) {
    super({ json: !isForPeople, logLevels: shown[threshold] });
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (this.threshold === 'debug' || !framework.includes(rest.at(-1))) super.log(message, ...rest);
  }

  override error(message: unknown, ...rest: unknown[]): void {
    if (!bootFailures.includes(rest.at(-1))) super.error(message, ...rest);
  }

  /** What clients and endpoints said is shown to a terminal, which does not act on it. */
  protected override stringifyMessage(message: unknown, level: LogLevel): string {
    return super.stringifyMessage(typeof message === 'string' ? visibleLines(message) : message, level);
  }

  protected override stringifyJsonLogObject(line: Record<string, unknown>): string {
    return visible(super.stringifyJsonLogObject(line));
  }

  /** @param stack nothing where an error is only a text, whatever the type of Nest says */
  protected override printStackTrace(stack?: string): void {
    if (stack) super.printStackTrace(visibleLines(stack));
  }

  /** On a terminal, {@link announce} tells how it went; and workers start alike, so the others repeat nothing of the first. */
  async starting<Started>(boot: () => Promise<Started>): Promise<Started> {
    const isRepeated = cluster.worker !== undefined && cluster.worker.id !== 1;
    if (isRepeated || (this.isForPeople && this.threshold !== 'debug'))
      this.setLogLevels(shown.warn.filter((level) => shown[this.threshold].includes(level)));
    const started = await boot();
    this.setLogLevels(shown[this.threshold]);
    return started;
  }

  /** Tells what you look for once the server has started; the second part only on a terminal. */
  announce(lines: readonly string[], forPeople: readonly string[] = []): void {
    const more = forPeople.length > 0 ? `\n${forPeople.map((line) => `  ${line}`.trimEnd() + '\n').join('')}` : '';
    if (this.isForPeople) process.stdout.write(`\n${lines.map((line) => `  ${bold(line)}\n`).join('')}${more}\n`);
    else for (const line of lines) this.log(line, 'Server');
  }
}

const bold = (text: string): string => (process.env['NO_COLOR'] ? text : styleText('bold', text));
