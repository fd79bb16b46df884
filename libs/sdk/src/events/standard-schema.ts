/** The interface that many schema libraries share (standardschema.dev): Zod, Valibot, ArkType and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type SchemaResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

/** A fault in the data, and where it is. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Data that has a type, but is not checked. */
export const dataOf = <T>(): StandardSchema<T> => ({
  '~standard': { version: 1, vendor: 'rookery', validate: (value) => ({ value: value as T }) }, // The caller states T.
});
