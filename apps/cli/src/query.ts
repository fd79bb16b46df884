import { type Command, InvalidArgumentError, Option } from 'commander';
import { search } from 'jmespath';
import { Fault, lineOf } from './fault.js';

/** How an answer is printed: as JSON, or what an expression selects from it. */
export interface JsonOptions {
  readonly json?: boolean;
  readonly query?: string;
}

/** Adds `--json`, and `--query`, which selects from the JSON in the language of `aws` and `az`: JMESPath. */
export const withJson = (command: Command, does = 'print the answer as JSON'): Command =>
  command.option('--json', does).addOption(queryOption());

const queryOption = (): Option =>
  new Option('--query <expression>', 'print what this JMESPath expression selects from the JSON')
    .argParser(expressionIn)
    .implies({ json: true });

function expressionIn(text: string): string {
  try {
    search(null, text);
  } catch (error) {
    // The expression is sound; it only cannot be applied to null.
    if (lineOf(error).startsWith('TypeError: ')) return text;
    throw new InvalidArgumentError(`It is not JMESPath: ${reasonOf(error)}`);
  }
  return text;
}

/**
 * What the expression selects, for a script: one line for each item of a list, texts without quotes.
 * @throws Fault if it cannot be applied to this value
 */
export function selectedLines(value: unknown, query: string): readonly string[] {
  try {
    // Through JSON, as --json prints it: without fields that are undefined.
    const selected = search(JSON.parse(JSON.stringify(value)), query) as unknown;
    const items: readonly unknown[] = Array.isArray(selected) ? selected : [selected];
    return items.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
  } catch (error) {
    throw new Fault(`--query: ${reasonOf(error)}`);
  }
}

/** The library stumbles over an expression such as `[].`, of which it accepts the beginning. */
const reasonOf = (error: unknown): string =>
  error instanceof TypeError ? 'the expression is not complete' : lineOf(error);
