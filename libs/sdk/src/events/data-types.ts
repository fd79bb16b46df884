/** What is given for data with a definition: an object of its class, or the input of its schema. */
export type InputOf<Data> = Data extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : never
  : InstanceOf<Data>;

/** The data after its schema has transformed it. */
export type OutputOf<Data> = Data extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : never
  : InstanceOf<Data>;

type InstanceOf<Data> = Data extends new (...args: never[]) => infer Instance ? Instance : never;
