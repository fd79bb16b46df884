import { useState } from 'preact/hooks';
import { useAction } from '../api/answer.js';
import type { Refusal } from '../api/ask.js';
import { signIn } from '../api/session.js';
import { Form, Submit } from '../parts/button.js';
import { Field } from '../parts/fields.js';
import { Note } from '../parts/words.js';

/** Asks for the password, and then shows the requested page. */
export function SignInPage() {
  const [password, setPassword] = useState('');
  const { isRunning, failure, run } = useAction(() => signIn(password));
  return (
    <main class="sign-in">
      <Form class="card stack" onSubmit={run}>
        <h1 class="row brand">
          <img src="/console/icon.svg" alt="" width="28" height="28" /> Rookery console
        </h1>
        <Field label="Password" hint="As set on the server by CONSOLE_PASSWORD.">
          <input
            type="password"
            autocomplete="current-password"
            // The page has no other purpose.
            autofocus
            required
            value={password}
            aria-invalid={failure !== undefined}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        </Field>
        {failure && <Note tone="bad">{wordsOf(failure)}</Note>}
        <Submit disabled={isRunning}>{isRunning ? 'Signing in' : 'Sign in'}</Submit>
      </Form>
    </main>
  );
}

function wordsOf({ status, message, retryAfterSeconds }: Refusal): string {
  if (status === 401) return 'That is not the password.';
  if (status !== 429) return message;
  return `Too many wrong passwords. Try again ${retryAfterSeconds ? `in ${retryAfterSeconds} seconds` : 'later'}.`;
}
