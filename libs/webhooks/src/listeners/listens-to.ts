import 'reflect-metadata';

/** The events that a method listens to. */
export interface Interest {
  /** The name of an event. */
  readonly name: string;
  /** Matches the subject; `*` matches any characters. */
  readonly pattern: string;
}

/** The metadata key of a method's interests: a global symbol, so that several copies of the package share it. */
export const interests = Symbol.for('rookery.listens-to');

/** Makes a provider's method listen to an event. A method may listen to several. */
export function listensTo(name: string, pattern: string): MethodDecorator {
  return (_target, _method, { value }: PropertyDescriptor) => {
    const method = value as object;
    const others = (Reflect.getMetadata(interests, method) as readonly Interest[] | undefined) ?? [];
    Reflect.defineMetadata(interests, [{ name, pattern } satisfies Interest, ...others], method);
  };
}
