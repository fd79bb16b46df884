import { Check, Copy } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { Button } from './button.js';

/** Copies `text` to the clipboard. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 1500);
    } catch {
      // Browsers allow it only on secure origins; elsewhere the text can be selected.
    }
  };
  return (
    <Button look="plain icon" aria-label={done ? 'Copied' : label} title={label} onClick={() => void copy()}>
      {done ? <Check size={16} /> : <Copy size={16} />}
    </Button>
  );
}

/** Code to copy. */
export const Snippet = ({ code }: { readonly code: string }) => (
  <div class="snippet">
    <pre tabIndex={0}>
      <code>{code}</code>
    </pre>
    <CopyButton text={code} />
  </div>
);
