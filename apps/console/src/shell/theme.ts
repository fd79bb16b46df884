import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const stored = (): Theme => {
  const kept = localStorage.getItem('rookery-theme');
  return kept === 'light' || kept === 'dark' ? kept : 'system';
};

export const theme = signal<Theme>(stored());
/** Changes with the colours, so that canvases are redrawn. */
export const themeTurns = signal(0);

export function nextTheme(): void {
  theme.value = ({ system: 'light', light: 'dark', dark: 'system' } as const)[theme.value];
}

/** Makes the page follow the chosen theme, or the system's. */
export function followTheme(): void {
  effect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme.value;
    localStorage.setItem('rookery-theme', theme.value);
    themeTurns.value = themeTurns.peek() + 1;
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => themeTurns.value++);
}
