import { Settings } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useAction } from '../api/answer.js';
import { ask } from '../api/ask.js';
import { Question } from '../parts/dialog.js';
import { Field } from '../parts/fields.js';
import { Empty, Note } from '../parts/words.js';
import { overview } from '../shell/whereabouts.js';
import { kinds, type Kind } from './kinds.js';

export const isEditable = (kind: Kind): boolean | undefined =>
  kind === 'apps' ? overview.value?.editable : overview.value?.instancesEditable;

/** Whether there may be others than those that are shown. */
export const isUnlisted = (kind: Kind): boolean => overview.value?.unlisted.includes(kind) ?? false;

/** In an empty page, instead of the claim that there is none. */
export const Unlisted = ({ kind }: { readonly kind: Kind }) => (
  <Empty icon={Settings} title={`No ${kinds[kind].one} has been used yet`}>
    This application stores its {kind} itself and does not list them: each appears here once it is used.
  </Empty>
);

/** In an empty page: creates the first app or instance. */
export const CreateLink = ({ kind }: { readonly kind: Kind }) =>
  isEditable(kind) ? (
    <Link class="button main" href={`/settings?kind=${kind}&new=yes`}>
      New {kinds[kind].one}
    </Link>
  ) : null;

/** Creates an app or an instance; the server generates what is left empty. */
export function Create(props: {
  readonly kind: Kind;
  onClose(): void;
  onMade(made: Readonly<Record<string, string>>): void;
}) {
  const { one, path } = kinds[props.kind];
  const [id, setId] = useState('');
  const make = useAction(async () => {
    const made = await ask<Record<string, unknown>>('POST', path, id ? { id } : {});
    props.onClose();
    props.onMade(textsOf(made));
  });
  return (
    <Question title={`New ${one}`} action="Create" onSubmit={make.run} onClose={props.onClose}>
      <Field label="Id" hint="If empty, the server generates one. It always generates the secrets.">
        <input value={id} onInput={(event) => setId(event.currentTarget.value.trim())} />
      </Field>
      {make.failure && <Note tone="bad">{make.failure.message}</Note>}
    </Question>
  );
}

/** The credentials in an answer, which must be saved. */
export const textsOf = (answer: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    ['id', 'key', 'secret', 'secretKey']
      .map((name) => [name, answer[name]])
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
