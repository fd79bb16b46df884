/** The part of `machine.mjs` that the TypeScript of bench/ uses. */
export function pinTo(pid: number | undefined, part: 'server' | 'client'): void;
export function usageOf(pid: number): { readonly cpuSeconds: number; readonly rss: number; readonly peakRss: number };
export function forgetPeak(pid: number): void;
