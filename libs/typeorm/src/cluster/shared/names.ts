const escaped = /[%\0]|\p{Surrogate}/gu;

/** A name as PostgreSQL can keep it, unambiguously: without NUL and lone surrogates, which users may choose. */
export const stored = (name: string): string =>
  name.replace(escaped, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The name that was {@link stored}. */
export const nameIn = (text: string): string =>
  text.replace(/%([\da-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
