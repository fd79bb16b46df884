import { useState } from 'preact/hooks';
import { Refusal } from '../api/ask.js';
import { signIn } from '../api/session.js';
import { Field } from '../parts/fields.js';
import { Note } from '../parts/words.js';

/** Asks for the password, and then shows the requested page. */
export function SignInPage() {
  const [password, setPassword] = useState('');
  const [failure, setFailure] = useState('');
  const [asking, setAsking] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setAsking(true);
    try {
      await signIn(password);
    } catch (error) {
      setFailure(error instanceof Refusal ? wordsOf(error) : String(error));
      setAsking(false);
    }
  };
  return (
    <main class="sign-in">
      <form class="card" onSubmit={(event) => void submit(event)}>
        <h1 class="brand">
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
            aria-invalid={failure !== ''}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        </Field>
        {failure && <Note tone="bad">{failure}</Note>}
        <button class="button main" disabled={asking}>
          {asking ? 'Signing in' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}

function wordsOf({ status, message, retryAfterSeconds }: Refusal): string {
  if (status === 401) return 'That is not the password.';
  if (status !== 429) return message;
  return `Too many wrong passwords. Try again ${retryAfterSeconds ? `in ${retryAfterSeconds} seconds` : 'later'}.`;
}
