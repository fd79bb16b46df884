import 'reflect-metadata';

/** What a method wants to hear of. */
export interface Interest {
  /** The name of an event. */
  readonly name: string;
  /** What it happens to: a `*` stands for any characters. */
  readonly pattern: string;
}

/** Under which a method has its interests. Found by its text, by whichever copy of the package. */
export const interests = Symbol.for('rookery.listens-to');

/** Has a provider's method hear of an event. A method may hear of several. */
export function listensTo(name: string, pattern: string): MethodDecorator {
  return (_target, _method, { value }: PropertyDescriptor) => {
    const method = value as object;
    const others = (Reflect.getMetadata(interests, method) as readonly Interest[] | undefined) ?? [];
    Reflect.defineMetadata(interests, [{ name, pattern } satisfies Interest, ...others], method);
  };
}
