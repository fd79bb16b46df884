/** `apps[0].key` */
export const pathText = (path: readonly string[]): string =>
  path.map((part, i) => (isIndex(part) ? `[${part}]` : i > 0 ? `.${part}` : part)).join('');

export const isIndex = (part: string): boolean => /^\d+$/.test(part);
