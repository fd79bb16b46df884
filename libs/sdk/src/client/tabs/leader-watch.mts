import { isInTime } from './platform.mjs';

/** The part of a document in use. */
interface TabDocument {
  readonly visibilityState: string;
  addEventListener(event: 'visibilitychange', listener: () => void, options: { readonly signal: AbortSignal }): void;
}

/**
 * While the tab is seen, looks whether the one that leads still answers: browsers freeze tabs in the background.
 * @param answered resolves with the answer
 * @param takeOver called without one
 */
export function watchLeader(answered: () => Promise<void>, takeOver: () => void, signal: AbortSignal): void {
  const { document } = globalThis as { readonly document?: TabDocument };
  if (!document) return;
  const look = async (): Promise<void> => {
    if (document.visibilityState !== 'visible') return;
    const isThere = await isInTime(answered(), 3000);
    if (!isThere && !signal.aborted) takeOver();
  };
  const timer = setInterval(() => void look(), 15_000);
  signal.addEventListener('abort', () => clearInterval(timer));
  document.addEventListener('visibilitychange', () => void look(), { signal });
}
