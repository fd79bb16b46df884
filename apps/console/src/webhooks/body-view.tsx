import { JsonView } from '../parts/json-view.js';
import { Note, Section } from '../parts/words.js';

/** The body of a webhook. */
export const BodyView = ({ body }: { readonly body: string | null | undefined }) => (
  <Section title="Payload">
    {typeof body === 'string' ? (
      <JsonView value={body} label="Payload of the webhook" />
    ) : (
      <Note>Payloads are hidden on this server.</Note>
    )}
  </Section>
);
