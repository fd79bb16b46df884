import { useMemo } from 'preact/hooks';

/** Shows a value, or a string of JSON, indented and with highlighted tokens. Other text is shown unchanged. */
export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }) {
  const tokens = useMemo(() => tokensOf(prettyText(value)), [value]);
  return (
    <pre class="json" aria-label={label} tabIndex={0}>
      {tokens.map(({ kind, text }) => (kind ? <span class={tones[kind]}>{text}</span> : text))}
    </pre>
  );
}

const tones = { key: 'accent', text: 'good', value: 'violet' } as const;

/** Indents JSON; strings within it that contain JSON stay strings. */
export function prettyText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2) ?? '';
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}

export interface Token {
  readonly kind: 'key' | 'text' | 'value' | '';
  readonly text: string;
}

const pattern = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The tokens of indented JSON; joined, they equal the text. */
export function tokensOf(text: string): Token[] {
  if (!/^[[{"\d\-tfn]/.test(text)) return [{ kind: '', text }];
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) tokens.push({ kind: '', text: text.slice(end, match.index) });
    const [all, quoted, colon] = match;
    if (quoted && colon) tokens.push({ kind: 'key', text: quoted }, { kind: '', text: colon });
    else tokens.push({ kind: quoted ? 'text' : 'value', text: all });
    end = match.index + all.length;
  }
  if (end < text.length) tokens.push({ kind: '', text: text.slice(end) });
  return tokens;
}
