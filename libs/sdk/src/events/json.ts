/** A value after it has travelled as JSON: a Date is a string, and methods are gone. */
export type Json<T> = unknown extends T
  ? T
  : T extends { toJSON(): infer Written }
    ? Json<Written>
    : T extends readonly unknown[]
      ? { [Index in keyof T]: Json<T[Index]> }
      : T extends object
        ? { [Name in keyof T as T[Name] extends (...args: never[]) => unknown ? never : Name]: Json<T[Name]> }
        : T;
