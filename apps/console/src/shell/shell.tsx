import { Menu, X } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useAnswer } from '../api/answer.js';
import type { Overview } from '../api/contract.js';
import { Button } from '../parts/button.js';
import { Toasts } from '../parts/toasts.js';
import { Away, Failure } from '../parts/words.js';
import { KeysSheet } from './keys-sheet.js';
import { useKeys } from './keys.js';
import { appPlaces, instancePlaces, settingsPlace } from './menu-items.js';
import { Brand, Side } from './side.js';
import { nextTheme } from './theme.js';
import { appPath, overview, pushPath, useWhereabouts } from './whereabouts.js';

/** Pages on which the list scrolls instead of the page. */
const tall = new Set(['live', 'connections', 'channels', 'devices', 'publishes']);

/** The frame around every page. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const [sheet, setSheet] = useState(false);
  const [open, setOpen] = useState(false);
  const answer = useAnswer<Overview>('overview', 5000);
  const { app, instance, place, go } = useWhereabouts();
  const [location] = useLocation();
  const main = useRef<HTMLElement>(null);
  if (answer.value && answer.value !== overview.peek()) overview.value = answer.value;

  // Moves screen readers to the start of the new page.
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) main.current!.focus({ preventScroll: true });
    isFirst.current = false;
  }, [place]);
  useEffect(() => {
    const all = [...appPlaces, ...instancePlaces, settingsPlace];
    const name = all.find(({ path }) => path === place)?.name ?? 'Overview';
    document.title = `${name} · Rookery console`;
    setOpen(false);
  }, [location]);

  useKeys({
    '?': () => setSheet(true),
    '/': () => document.querySelector<HTMLElement>('[data-search]')?.focus(),
    t: nextTheme,
    ...(open && { Escape: () => setOpen(false) }),
    'g o': () => go('/'),
    'g s': () => go('/settings'),
    ...Object.fromEntries(appPlaces.map(({ key, path }) => [`g ${key}`, () => app && go(appPath(app, path))])),
    ...Object.fromEntries(instancePlaces.map(({ key, path }) => [`g ${key}`, () => go(pushPath(instance, path))])),
  });

  return (
    <>
      <a
        class="unseen button main skip"
        href="#page"
        onClick={(event) => (event.preventDefault(), main.current!.focus())}
      >
        Skip to content
      </a>
      <div class="shell">
        <header class="bar">
          <Brand />
          <Button
            look="plain icon"
            aria-label={open ? 'Close the menu' : 'Open the menu'}
            aria-expanded={open}
            aria-controls="side"
            onClick={() => setOpen(!open)}
          >
            {open ? <X size={18} /> : <Menu size={18} />}
          </Button>
        </header>
        <Side open={open} onKeys={() => setSheet(true)} />
        <main id="page" class={tall.has(place) ? 'stack page tall' : 'stack page'} tabIndex={-1} ref={main}>
          <Away />
          <Failure value={answer.failure} />
          {children}
        </main>
      </div>
      <Toasts />
      {sheet && <KeysSheet onClose={() => setSheet(false)} />}
    </>
  );
}
