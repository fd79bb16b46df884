import cluster from 'node:cluster';
import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import { styleText } from 'node:util';
import { visible, visibleLines } from './visible-text.js';

/** Whether somebody reads along: on a terminal, unless this is production. */
export const isReadAlong = (): boolean => process.stdout.isTTY && process.env['NODE_ENV'] !== 'production';

/** Where Nest logs what fails the boot or the listening, with its stack; `main.ts` says it in one line. */
const bootFailures: readonly unknown[] = ['ExceptionHandler', 'NestApplication'];

/** The server's log: JSON, one object a line, or lines for people. */
export class ServerLogger extends ConsoleLogger {
  constructor(private readonly isForPeople = isReadAlong()) {
    super({ json: !isForPeople });
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

  /** Workers start alike: what the first says of it, the others do not repeat. */
  async quietUnlessFirst(boot: () => Promise<void>): Promise<void> {
    if (cluster.worker?.id !== 1) this.setLogLevels(['warn', 'error', 'fatal']);
    await boot();
    this.setLogLevels(['log', 'warn', 'error', 'fatal', 'debug', 'verbose']);
  }

  /** What whoever starts the server looks for: it stands out from the rest. Some of it is for people alone. */
  announce(lines: readonly string[], forPeople: readonly string[] = []): void {
    const more = forPeople.length > 0 ? `\n${forPeople.map((line) => `  ${line}`.trimEnd() + '\n').join('')}` : '';
    if (this.isForPeople) process.stdout.write(`\n${lines.map((line) => `  ${bold(line)}\n`).join('')}${more}\n`);
    else for (const line of lines) this.log(line, 'Server');
  }
}

const bold = (text: string): string => (process.env['NO_COLOR'] ? text : styleText('bold', text));
