import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { DescribedApi, DescribedOperation } from '../../libs/http/src/described-api.js';

/** An answer as it came over the wire, and what was asked. */
export interface Exchange {
  readonly method: string;
  /** May have a query. */
  readonly url: string;
  /** Of the request, where it is JSON. */
  readonly sent?: unknown;
  readonly status: number;
  readonly type: string | null | undefined;
  readonly text: string;
}

/**
 * Looks up the answers of the tests in the OpenAPI documents: each must be described there, with its status, its media
 * type and the shape of its body, and each accepted request must match its description.
 */
export class DocumentedAnswers {
  private readonly ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }));
  private readonly validators = new WeakMap<object, ValidateFunction>();
  private readonly operations: KnownOperation[] = [];
  private skipped = /^$/;

  /** @param skipped paths that are not looked up */
  constructor(apis: readonly DescribedApi[], skipped = /^$/) {
    for (const api of apis) this.add(api);
    this.skipped = skipped;
  }

  /** From now on it knows these paths too, and skips none. */
  add({ paths }: DescribedApi): void {
    this.skipped = /^$/;
    for (const [path, verbs] of Object.entries(paths))
      for (const [verb, operation] of Object.entries(verbs))
        this.operations.push(knownOperation(verb, path, operation));
  }

  /** @throws Error that says what the document lacks */
  check(exchange: Exchange): void {
    const { method, url, status } = exchange;
    const path = url.split('?')[0]!;
    if (!prefixes.test(path) || this.skipped.test(path) || method === 'OPTIONS' || isMalformed(path)) return;
    // Some platforms serve a path with a slash too much, and some do not.
    if (path.endsWith('/') && status === 404) return;
    const operation = this.find(method, path);
    const said = `${method} ${path} answered ${status}`;
    if (!operation) {
      if (status < 400 || status >= 500) throw new Error(`${said}, and no OpenAPI document has such an operation`);
      return;
    }
    const faults = this.faultsOf(operation, exchange);
    if (faults.length > 0) throw new Error(`${said}; the OpenAPI document (${operation.path}): ${faults.join('; ')}`);
  }

  /** The statuses that the documents have for a request; none where they have no such operation. */
  statusesOf(method: string, path: string): string[] {
    return Object.keys(this.find(method, path)?.operation.responses ?? {});
  }

  /** What is wrong with a value, by a schema. */
  faultsIn(schema: object, value: unknown, what: string): string[] {
    const validate = this.validators.get(schema) ?? (this.ajv.compile(schema) as ValidateFunction);
    this.validators.set(schema, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }: ErrorObject) => `${what}${instancePath} ${message}`);
  }

  private faultsOf({ operation }: KnownOperation, { sent, status, type, text }: Exchange): string[] {
    const answer = operation.responses[status];
    if (!answer) return ['it lacks the status'];
    const asked = (operation.requestBody as DescribedOperation['responses'][string] | undefined)?.content;
    const accepted = status < 300 && sent !== undefined ? asked?.['application/json']?.schema : undefined;
    const faults = accepted ? this.faultsIn(accepted, sent, 'the accepted body') : [];
    if (!answer.content) return text === '' ? faults : [...faults, 'it has no body there'];
    const content = answer.content[type?.split(';')[0] ?? ''];
    if (!content) return [...faults, `it lacks the media type ${type}`];
    const body: unknown = type!.startsWith('application/json') ? JSON.parse(text) : text;
    return [...faults, ...this.faultsIn(content.schema, body, 'the body')];
  }

  /** Names may have slashes in them, so a parameter is at first one part of the path, and else anything. */
  private find(method: string, path: string): KnownOperation | undefined {
    const ofMethod = this.operations.filter(({ verb }) => verb === method.toLowerCase());
    const matching = (kind: 'exact' | 'loose') =>
      ofMethod.filter((each) => each[kind].test(path)).toSorted((a, b) => a.parameters - b.parameters);
    return matching('exact')[0] ?? matching('loose')[0];
  }
}

const prefixes = /^\/(apps\/|device_api\/v1\/|publish_api\/v1\/|customer_api\/v1\/|user_api\/v1\/|reporting_api\/v2\/)/;

/** The platform refuses it before it looks for a route. */
function isMalformed(path: string): boolean {
  try {
    decodeURIComponent(path);
    return false;
  } catch {
    return true;
  }
}

interface KnownOperation {
  readonly verb: string;
  readonly path: string;
  readonly exact: RegExp;
  readonly loose: RegExp;
  readonly parameters: number;
  readonly operation: DescribedOperation;
}

const knownOperation = (verb: string, path: string, operation: DescribedOperation): KnownOperation => ({
  verb,
  path,
  exact: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  // The last parameter alone.
  loose: new RegExp(`^${path.replace(/\{\w+\}(?!.*\{)/, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  parameters: path.split('{').length,
  operation,
});
