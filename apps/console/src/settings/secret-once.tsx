import { CopyButton } from '../parts/copy.js';
import { Dialog } from '../parts/dialog.js';
import { Note } from '../parts/words.js';

/** New credentials, shown once. */
export const SecretOnce = (props: { readonly of: Readonly<Record<string, string>>; onClose(): void }) => (
  <Dialog title="Store these credentials" stays onClose={props.onClose}>
    <Note tone="warn">The secret is shown only once. Anyone who has it can send as you.</Note>
    <dl class="facts">
      {Object.entries(props.of).map(([name, value]) => [
        <dt key={`${name}-`}>{name}</dt>,
        <dd key={name} class="row">
          <code class="break">{value}</code>
          <CopyButton text={value} label={`Copy the ${name}`} />
        </dd>,
      ])}
    </dl>
    <div class="ends">
      <button type="button" class="button main" onClick={props.onClose}>
        I have stored them
      </button>
    </div>
  </Dialog>
);
