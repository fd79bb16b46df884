/** A page of a list, under its name; `next` is the cursor of the following page, if there is one. */
export type Page<Name extends string, Row> = Readonly<Record<Name, readonly Row[]>> & { readonly next: string | null };
