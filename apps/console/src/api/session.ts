import { signal } from '@preact/signals';
import { ask, Refusal, useToken, whenSignedOut } from './ask.js';
import type { ConsoleSession } from './contract.js';

/** The viewer's session; null until the server has answered. */
export const session = signal<ConsoleSession | null>(null);
/** Why the session could not be fetched. */
export const sessionFailure = signal<string | null>(null);

export async function loadSession(): Promise<void> {
  try {
    const answer = await ask<ConsoleSession>('GET', 'session');
    useToken(answer.csrfToken);
    session.value = answer;
    sessionFailure.value = null;
  } catch (error) {
    sessionFailure.value = error instanceof Refusal ? error.message : 'The server does not answer.';
  }
}

/** @throws Refusal 401 for a wrong password, 429 for too many of them */
export async function signIn(password: string): Promise<void> {
  await ask('POST', 'session', { password });
  await loadSession();
}

export async function signOut(): Promise<void> {
  await ask('DELETE', 'session');
  await loadSession();
}

whenSignedOut(() => void loadSession());
