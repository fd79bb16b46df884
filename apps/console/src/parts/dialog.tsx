import type { ComponentChildren, ComponentProps } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, Form } from './button.js';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  onClose(): void;
}

/** A modal dialog; the browser handles focus and Escape, which closes it unless it `stays`. */
export function Dialog(props: DialogProps & { readonly stays?: boolean }) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the next key or click can reach the page behind it.
  useLayoutEffect(() => element.current!.showModal(), []);
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

interface QuestionProps extends DialogProps {
  /** The name of the button that submits the form. */
  readonly action: string;
  readonly look?: 'main' | 'danger';
  readonly disabled?: boolean;
  onSubmit(): void;
}

/** A dialog with a form, which can be cancelled. */
export const Question = ({ action, look = 'main', disabled, onSubmit, children, ...dialog }: QuestionProps) => (
  <Dialog {...dialog}>
    <Form class="stack" onSubmit={onSubmit}>
      {children}
      <div class="row ends">
        <Button onClick={dialog.onClose}>Cancel</Button>
        <Button type="submit" look={look} disabled={disabled}>
          {action}
        </Button>
      </div>
    </Form>
  </Dialog>
);

interface ConfirmProps extends Omit<QuestionProps, 'look' | 'disabled' | 'onSubmit'> {
  /** This text has to be typed. */
  readonly typed?: string;
  onConfirm(): void;
}

/** Asks for confirmation before something that cannot be undone. */
function Confirm({ typed, children, onConfirm, ...question }: ConfirmProps) {
  const [text, setText] = useState('');
  const confirm = (): void => {
    question.onClose();
    onConfirm();
  };
  return (
    <Question {...question} look="danger" disabled={typed !== undefined && text.trim() !== typed} onSubmit={confirm}>
      <p class="soft break">{children}</p>
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
    </Question>
  );
}

/** A button that asks for confirmation; its `label` is the name of the action unless it is given. */
export function ConfirmButton({
  label,
  look = 'danger',
  ...question
}: Omit<ComponentProps<typeof Confirm>, 'onClose'> & {
  readonly label?: ComponentChildren;
  readonly look?: string;
}) {
  const [asks, setAsks] = useState(false);
  return (
    <>
      <Button look={look} onClick={() => setAsks(true)}>
        {label ?? question.action}
      </Button>
      {asks && <Confirm {...question} onClose={() => setAsks(false)} />}
    </>
  );
}
