import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** A modal dialog; the browser handles focus and Escape. */
export function Dialog(props: { readonly title: string; onClose(): void; readonly children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    element.current!.showModal();
  }, []);
  return (
    <dialog ref={element} aria-labelledby={id} onClose={() => props.onClose()}>
      <div class="stack">
        <h2 id={id}>{props.title}</h2>
        {props.children}
      </div>
    </dialog>
  );
}

/** Asks for confirmation before something that cannot be undone. */
export const Confirm = (props: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action: string;
  onConfirm(): void;
  onClose(): void;
}) => (
  <Dialog title={props.title} onClose={props.onClose}>
    <p class="soft break">{props.children}</p>
    <div class="ends">
      <button type="button" class="button" onClick={props.onClose}>
        Cancel
      </button>
      <button
        type="button"
        class="button danger"
        onClick={() => {
          props.onClose();
          props.onConfirm();
        }}
      >
        {props.action}
      </button>
    </div>
  </Dialog>
);
