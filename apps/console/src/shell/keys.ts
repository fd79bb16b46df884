import { useEffect, useRef } from 'preact/hooks';

type Keys = Readonly<Record<string, () => void>>;

/** The keys pressed so far, such as `g` before `l`. */
let chord = '';
let startedAt = 0;

/** Call it once, before any key is bound. */
export function listenToKeys(): void {
  const pressed = ({ key, timeStamp }: KeyboardEvent): void => {
    chord = chord === 'g' && timeStamp - startedAt < 1500 ? `g ${key}` : key;
    startedAt = timeStamp;
  };
  document.addEventListener('keydown', pressed, { capture: true });
}

/** Runs a key's action, unless the focus is in a text field. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isWritten(event)) return;
      const bound = latest.current[chord];
      if (!bound) return;
      event.preventDefault();
      bound();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
}

function isWritten({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest('dialog')) return true;
  return key !== 'Escape' && target.closest('input:not([type=checkbox]), textarea, select') !== null;
}
