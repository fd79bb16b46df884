import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const stored = (): Theme => {
  const kept = localStorage.getItem('rookery-theme');
  return kept === 'light' || kept === 'dark' ? kept : 'system';
};

export const theme = signal<Theme>(stored());
/** Grows whenever colours change: what is drawn by hand is drawn anew. */
export const themeTurns = signal(0);

export function nextTheme(): void {
  theme.value = ({ system: 'light', light: 'dark', dark: 'system' } as const)[theme.value];
}

/** Has the page follow the choice, and the system where there is none. */
export function followTheme(): void {
  effect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme.value;
    localStorage.setItem('rookery-theme', theme.value);
    themeTurns.value = themeTurns.peek() + 1;
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => themeTurns.value++);
}
