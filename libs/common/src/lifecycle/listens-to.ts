import 'reflect-metadata';

/** What a method wants to hear of. */
export interface Interest {
  /** The name of an event. */
  readonly name: string;
  /** What it happens to: a `*` stands for any characters. */
  readonly pattern: string;
}

const key = 'rookery:listens-to';

/** Has a provider's method hear of an event. A method may hear of several. */
export function listensTo(name: string, pattern: string): MethodDecorator {
  return (_target, _method, { value }: PropertyDescriptor) => {
    const method = value as object;
    Reflect.defineMetadata(key, [{ name, pattern } satisfies Interest, ...interestsOf(method)], method);
  };
}

export const interestsOf = (method: object): readonly Interest[] =>
  (Reflect.getMetadata(key, method) as readonly Interest[] | undefined) ?? [];
