/** The form in which settings are written: omitted ones, also nested, take their default. */
export type Given<Settings> = {
  readonly [Name in keyof Settings]?: Settings[Name] extends readonly unknown[] | undefined
    ? Settings[Name]
    : Settings[Name] extends object
      ? Partial<Settings[Name]>
      : Settings[Name];
};
