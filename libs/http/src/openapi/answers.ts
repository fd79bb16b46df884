import type { JsonSchema } from '#common';
import type { Refusal } from '../refusal.js';
import type { DescribedAnswer, DescribedAnswers } from '../described-api.js';
import { shape, text } from './shapes.js';

/** An answer in JSON. */
export const answer = (description: string, schema: JsonSchema, example?: unknown): DescribedAnswer => ({
  description,
  content: {
    'application/json': { schema, ...(example !== undefined && { examples: { answer: { value: example } } }) },
  },
});

/** A request's body in JSON. */
export const body = (schema: JsonSchema, example: unknown): object => ({
  required: true,
  content: { 'application/json': { schema, examples: { request: { value: example } } } },
});

/** The shape of every refusal of the push APIs: beams-wire §0.2. */
const refusalShape = shape({ error: text, description: text });

/** The refusals of an operation, by status, each with an example as sent. */
export function refused(refusals: readonly Refusal[]): DescribedAnswers {
  const answers: Record<string, DescribedAnswer> = {};
  for (const refusal of refusals) answers[refusal.status] = withExample(answers[refusal.status], refusal);
  return answers;
}

function withExample(known: DescribedAnswer | undefined, refusal: Refusal): DescribedAnswer {
  const type = refusal.contentType.split(';')[0]!;
  const isJson = type === 'application/json';
  const value: unknown = isJson ? JSON.parse(refusal.body) : refusal.body;
  const sentence = isJson ? (value as { readonly description: string }).description : refusal.body.trim();
  const content = known?.content?.[type];
  const headers = headersOf(refusal);
  return {
    ...known,
    description: known ? `${known.description}; ${sentence}` : sentence,
    ...(headers && { headers }),
    content: {
      ...known?.content,
      [type]: {
        schema: isJson ? refusalShape : text,
        examples: { ...content?.examples, [nameOf(sentence)]: { value } },
      },
    },
  };
}

/** Names of examples may have letters, digits and a few signs. */
const nameOf = (sentence: string): string =>
  sentence
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-|-$/g, '')
    .toLowerCase();

function headersOf({ headers = {} }: Refusal): DescribedAnswer['headers'] {
  const names = Object.keys(headers).filter((name) => name.toLowerCase() === 'retry-after');
  if (names.length === 0) return undefined;
  return { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } } };
}
