// The pages and the server read payloads alike: both import this file.

/**
 * The title and text of a payload, or of a request to a gateway: for Google a message, for Apple and browsers a body with
 * headers.
 */
export function seenOf(sent: unknown): { readonly title: string; readonly text: string } {
  const payload = at(sent, 'message') ?? (at(sent, 'headers') ? at(sent, 'body') : sent);
  const alert = at(payload, 'aps', 'alert');
  if (typeof alert === 'string') return { title: '', text: alert };
  const shown = alert ?? at(payload, 'notification') ?? at(payload, 'data', 'notification');
  return { title: words(at(shown, 'title')), text: words(at(shown, 'body')) };
}

function at(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value,
  );
}

const words = (value: unknown): string => (typeof value === 'string' ? value : '');
