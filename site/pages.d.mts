export const pages: readonly string[];
export function addressOf(path: string): string;
export function textOf(path: string): string;
