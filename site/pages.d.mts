export const root: string;
export const groups: readonly { readonly text: string; readonly paths: readonly string[] }[];
export const pages: readonly string[];
export function addressOf(path: string): string;
export function textOf(path: string): string;
