import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, type Refusal, refusalOf } from './ask.js';

export interface Answer<T> {
  /** The last successful answer, kept while a newer one is fetched or has failed. */
  readonly value: T | undefined;
  /** Why the newest request failed. */
  readonly failure: Refusal | undefined;
  /** Fetches again now. */
  reload(): void;
}

/** Fetches `path` (null: nothing), again every `everyMs` while the page is visible. */
export function useAnswer<T>(path: string | null, everyMs?: number): Answer<T> {
  const [state, setState] = useState<{ path: string | null; value?: T; failure?: Refusal }>({ path });
  const reload = useRef(() => {});

  useEffect(() => {
    if (path === null) return undefined;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      clearTimeout(timer);
      try {
        const value = await ask<T>('GET', path, undefined, abort.signal);
        setState({ path, value });
      } catch (error) {
        if (abort.signal.aborted) return;
        const failure = refusalOf(error);
        setState((before) => (before.path === path ? { ...before, failure } : { path, failure }));
      }
      if (everyMs && !abort.signal.aborted) timer = setTimeout(next, everyMs);
    };
    const next = (): void => void (document.visibilityState === 'visible' ? load() : wait());
    const wait = (): void => void (timer = setTimeout(next, everyMs));
    reload.current = () => void load();
    void load();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [path, everyMs]);

  const current = state.path === path ? state : undefined;
  return { value: current?.value, failure: current?.failure, reload: () => reload.current() };
}

/** The work of a button: whether it runs, and how it ended last. */
export function useAction<T>(work: () => Promise<T>) {
  const [state, setState] = useState<{ isRunning: boolean; value?: T; failure?: Refusal }>({ isRunning: false });
  const run = async (): Promise<void> => {
    setState({ isRunning: true });
    try {
      setState({ isRunning: false, value: await work() });
    } catch (error) {
      setState({ isRunning: false, failure: refusalOf(error) });
    }
  };
  return { ...state, run: () => void run() };
}
