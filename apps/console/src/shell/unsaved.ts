import { useLayoutEffect } from 'preact/hooks';
import type { AroundNavHandler } from 'wouter-preact';

/** Whether the page has changes that leaving it would lose. */
let isUnsaved = false;

const warn = (event: BeforeUnloadEvent): void => {
  if (isUnsaved) event.preventDefault();
};

/** Asks before a page with changes is left, whether within the console or with the whole tab. */
export function useUnsaved(hasChanges: boolean): void {
  // At once: nothing else may be pressed before.
  useLayoutEffect(() => {
    isUnsaved = hasChanges;
    if (!hasChanges) return undefined;
    addEventListener('beforeunload', warn);
    return () => {
      isUnsaved = false;
      removeEventListener('beforeunload', warn);
    };
  }, [hasChanges]);
}

/** Every way to another page of the console. */
export const askAboutUnsaved: AroundNavHandler = (navigate, to, options) => {
  if (isUnsaved && !confirm('Leave without saving your changes?')) return;
  isUnsaved = false;
  navigate(to, options);
};
