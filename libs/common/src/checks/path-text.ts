/** `apps[0].key`, on one line whatever the names contain. */
export const pathText = (path: readonly string[]): string =>
  path.map((part, i) => (isIndex(part) ? `[${part}]` : i > 0 ? `.${onOneLine(part)}` : onOneLine(part))).join('');

const onOneLine = (name: string): string =>
  name.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const isIndex = (part: string): boolean => /^\d+$/.test(part);
