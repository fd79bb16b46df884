import { signal } from '@preact/signals';
import { refusalOf } from '../api/ask.js';
import { Note } from './words.js';

interface Toast {
  readonly id: number;
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

const toasts = signal<readonly Toast[]>([]);
let last = 0;

/** Shows a message for some seconds. */
export function say(text: string, tone: 'good' | 'bad' = 'good'): void {
  const id = ++last;
  toasts.value = [...toasts.value.slice(-2), { id, tone, text }];
  setTimeout(() => (toasts.value = toasts.value.filter((toast) => toast.id !== id)), 6000);
}

/** Performs an action that may be refused, and shows the outcome. @returns whether it succeeded */
export async function tried(what: () => Promise<unknown>, done: string): Promise<boolean> {
  try {
    await what();
    say(done);
    return true;
  } catch (error) {
    say(refusalOf(error).message, 'bad');
    return false;
  }
}

export const Toasts = () => (
  <div class="stack tight toasts" aria-live="polite">
    {toasts.value.map((toast) => (
      <Note key={toast.id} tone={toast.tone}>
        {toast.text}
      </Note>
    ))}
  </div>
);
