import type { Type } from '@nestjs/common';
import type { DescribedAnswer, DescribedAnswers, DescribedApi, DescribedOperation } from '../described-api.js';
import { refused } from './answers.js';
import type { Shape } from './shapes.js';
import type { Refusal } from '../refusal.js';
import { routesOf, spelt } from '../rookery-controller.js';

/** What a method says of its endpoint, beyond what each endpoint of its API has. */
export interface Endpoint extends Partial<Omit<DescribedOperation, 'summary' | 'responses'>> {
  /** For a route that ends in `*tail`, or serves several paths: the described one. @default that of the route */
  readonly path?: string;
  /** The successful answer, with the status of the method. */
  readonly answers: DescribedAnswer;
  /** The errors that it may answer. */
  readonly refuses?: readonly Error[];
}

/** What each endpoint of an API has; `refusals` includes those of the endpoint, in the order of the document. */
interface Common extends Pick<DescribedOperation, 'security' | 'parameters'> {
  readonly refusals: readonly Refusal[];
  readonly others?: DescribedAnswers;
}

interface Description {
  readonly path: string | undefined;
  readonly operation: DescribedOperation;
}
type Describe = (status: number, ofFeatures: Shapes) => Description;
type Shapes = Readonly<Record<string, Shape>>;

const descriptions = Symbol('rookery.descriptions');

/**
 * Makes the decorator that describes an API's endpoints in the OpenAPI document, beside their methods. A method that
 * serves several has one for each. They are called when a document is made: a start needs none.
 */
export const describesApi =
  (common: (endpoint: Endpoint) => Common) =>
  (summary: string, endpoint: (ofFeatures: Shapes) => Endpoint): MethodDecorator =>
  (_prototype, _name, { value: method }) => {
    const describe: Describe = (status, ofFeatures) => {
      const given = endpoint(ofFeatures);
      const { path, answers, refuses: _, ...said } = given;
      const { refusals, others, ...ours } = common(given);
      const responses = { [status]: answers, ...refused(refusals), ...others };
      return { path, operation: { summary, ...said, ...ours, responses } };
    };
    Reflect.defineMetadata(descriptions, [describe, ...descriptionsOf(method as object)], method as object);
  };

const descriptionsOf = (method: object): readonly Describe[] =>
  (Reflect.getMetadata(descriptions, method) as readonly Describe[] | undefined) ?? [];

/**
 * A module's part of the OpenAPI document: what the methods of its controllers say.
 * @param ofFeatures what features add to answers of the module, which does not know them
 */
export function describedApi(
  about: Omit<DescribedApi, 'paths'>,
  controllers: readonly Type<object>[],
  ofFeatures: Shapes = {},
): DescribedApi {
  const paths: Record<string, DescribedApi['paths'][string]> = {};
  for (const { controller, method, verb, path: own, status } of controllers.flatMap(routesOf))
    for (const describe of descriptionsOf((controller.prototype as Record<string, object>)[method]!)) {
      const { path = spelt(own), operation } = describe(status, ofFeatures);
      paths[path] = { ...paths[path], [verb]: operation };
    }
  return { ...about, paths };
}
