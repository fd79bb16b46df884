/** What NODE_OPTIONS says so that a process loads a script first. Quoted: a folder's name may have spaces. */
export const preload = (script: string): string => `--require ${JSON.stringify(script)}`;
