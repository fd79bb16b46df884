import cluster from 'node:cluster';
import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import { styleText } from 'node:util';
import type { LogThreshold } from './config/config.js';
import { visible, visibleLines } from './visible-text.js';

/** Whether the log is likely read by a person: on a terminal, outside production. */
const isReadAlong = (): boolean => process.stdout.isTTY && process.env['NODE_ENV'] !== 'production';

/** The contexts in which Nest logs a failed boot with its stack; `main.ts` reports it in one line. */
const bootFailures: readonly unknown[] = ['ExceptionHandler', 'NestApplication'];

/** The contexts of Nest's own lines: one for each module and route. */
const framework: readonly unknown[] = [
  'InstanceLoader',
  'NestApplication',
  'NestApplicationContext',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
];

/** Nest's levels that each of our levels shows. */
const shown: Readonly<Record<LogThreshold, LogLevel[]>> = {
  error: ['fatal', 'error'],
  warn: ['fatal', 'error', 'warn'],
  info: ['fatal', 'error', 'warn', 'log'],
  debug: ['fatal', 'error', 'warn', 'log', 'debug', 'verbose'],
};

/** The server's log: JSON, one object per line, or lines for people. */
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

  /** Texts from clients and endpoints are escaped for a terminal. */
  protected override stringifyMessage(message: unknown, level: LogLevel): string {
    return super.stringifyMessage(typeof message === 'string' ? visibleLines(message) : message, level);
  }

  protected override stringifyJsonLogObject(line: Record<string, unknown>): string {
    return visible(super.stringifyJsonLogObject(line));
  }

  /** @param stack undefined for errors that are only a text, despite Nest's type */
  protected override printStackTrace(stack?: string): void {
    if (stack) super.printStackTrace(visibleLines(stack));
  }

  /**
   * On a terminal, {@link announce} reports the result; and since all workers start alike, only the first logs its
   * start.
   */
  async starting<Started>(boot: () => Promise<Started>): Promise<Started> {
    const isRepeated = cluster.worker !== undefined && cluster.worker.id !== 1;
    if (isRepeated || (this.isForPeople && this.threshold !== 'debug'))
      this.setLogLevels(shown.warn.filter((level) => shown[this.threshold].includes(level)));
    const started = await boot();
    this.setLogLevels(shown[this.threshold]);
    return started;
  }

  /** Logs the essential facts once the server has started; the second part only on a terminal. */
  announce(lines: readonly string[], forPeople: readonly string[] = []): void {
    const more = forPeople.length > 0 ? `\n${forPeople.map((line) => `  ${line}`.trimEnd() + '\n').join('')}` : '';
    if (this.isForPeople) process.stdout.write(`\n${lines.map((line) => `  ${bold(line)}\n`).join('')}${more}\n`);
    else for (const line of lines) this.log(line, 'Server');
  }
}

const bold = (text: string): string => (process.env['NO_COLOR'] ? text : styleText('bold', text));
