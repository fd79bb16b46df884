import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A modal dialog; the browser handles focus and Escape, which closes it unless it `stays`. */
export function Dialog(props: {
  readonly title: string;
  readonly stays?: boolean;
  onClose(): void;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the next key or click can reach the page behind it.
  useLayoutEffect(() => {
    element.current!.showModal();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      // A browser closes a dialog at the second Escape all the same.
      onKeyDown={(event) => props.stays && event.key === 'Escape' && event.preventDefault()}
      onCancel={(event) => props.stays && event.preventDefault()}
      onClose={() => props.onClose()}
    >
      <div class="stack">
        <h2 id={id}>{props.title}</h2>
        {props.children}
      </div>
    </dialog>
  );
}

/** Asks for confirmation before something that cannot be undone; with `typed`, that text has to be typed. */
export function Confirm(props: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action: string;
  readonly typed?: string;
  onConfirm(): void;
  onClose(): void;
}) {
  const { typed } = props;
  const [text, setText] = useState('');
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          props.onClose();
          props.onConfirm();
        }}
      >
        <p class="soft break">{props.children}</p>
        {typed !== undefined && (
          <label class="field">
            <span>
              Type <code class="break">{typed}</code> to confirm
            </span>
            <input
              type="text"
              autocomplete="off"
              spellcheck={false}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
        )}
        <div class="ends">
          <button type="button" class="button" onClick={props.onClose}>
            Cancel
          </button>
          <button class="button danger" disabled={typed !== undefined && text.trim() !== typed}>
            {props.action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
