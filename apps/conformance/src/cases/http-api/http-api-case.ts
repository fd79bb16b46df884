import { type Case, sources } from '../../case.js';
import { expects, type Pattern } from '../../matching.js';
import type { Asked } from '../../subject.js';

interface Request extends Asked {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
}

/** A request, and the answer that must come. `run` is part of the names of its channels. */
export const answers = (
  id: string,
  title: string,
  request: (run: string) => Request,
  answer: { readonly status: Pattern; readonly text?: Pattern; readonly json?: Pattern },
  more: Partial<Case> = {},
): Case => ({
  id: `http-api/${id}`,
  title,
  profile: 'channels-core',
  source: sources.httpApi,
  async run(subject) {
    const { method = 'POST', path, ...asked } = request(subject.run);
    expects('the answer', await subject.ask(method, path, asked), answer);
  },
  ...more,
});

/** Laravel's status of invalid input. */
export const unprocessable = { dialects: [{ server: 'Reverb', got: /"status":422/ }] };

export type Fields = Readonly<Record<string, unknown>>;

export const event = (channels: readonly string[], more: Fields = {}) => ({
  path: '/events',
  body: { name: 'asked', channels, data: '{}', ...more },
});
export const bytes = (count: number): string => 'x'.repeat(count);

/** A body that no SDK sends: some stop soketi. */
export const malformed = (id: string, title: string, path: '/events' | '/batch_events', body: unknown): Case =>
  answers(id, title, () => ({ path, body }), { status: 400 }, { ...unprocessable, basis: 'robustness', isRude: true });
