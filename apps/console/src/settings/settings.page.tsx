import { Settings } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { useAnswer } from '../api/answer.js';
import type { AllAdministered } from '../api/contract.js';
import { Button } from '../parts/button.js';
import { Choice } from '../parts/fields.js';
import { Badge, Empty, Facts, Failure, Note, PageHead } from '../parts/words.js';
import { Create, isEditable, isUnlisted, Unlisted } from './create.js';
import { Editor } from './editor.js';
import { type Kind, kinds } from './kinds.js';
import { CopyButton } from '../parts/copy.js';
import { Dialog } from '../parts/dialog.js';

/** New credentials, shown once. */
const SecretOnce = (props: { readonly value: Readonly<Record<string, string>>; onClose(): void }) => (
  <Dialog title="Store these credentials" stays onClose={props.onClose}>
    <Note tone="warn">The console shows the secret only once. Anyone who has it can send as you.</Note>
    <Facts
      value={Object.fromEntries(
        Object.entries(props.value).map(([name, value]) => [
          name,
          <span class="row">
            <code class="break">{value}</code>
            <CopyButton text={value} label={`Copy the ${name}`} />
          </span>,
        ]),
      )}
    />
    <div class="row ends">
      <Button look="main" onClick={props.onClose}>
        I have stored them
      </Button>
    </div>
  </Dialog>
);

/** Apps and instances, which can be changed while the server runs. */
export function SettingsPage() {
  const [query, setQuery] = useSearchParams();
  const kind: Kind = query.get('kind') === 'instances' ? 'instances' : 'apps';
  const id = query.get('id');
  const editable = isEditable(kind);
  const answer = useAnswer<AllAdministered>(kinds[kind].path);
  const [creates, setCreates] = useState(query.has('new'));
  const [secret, setSecret] = useState<Readonly<Record<string, string>>>();
  const all = answer.value?.[kind] ?? [];
  const chosen = all.find((each) => each.id === id);
  const show = (id: string): void => setQuery({ kind, id });

  return (
    <>
      <PageHead
        title="Apps and instances"
        actions={
          editable && (
            <Button look="main" onClick={() => setCreates(true)}>
              New {kinds[kind].one}
            </Button>
          )
        }
      >
        A change takes effect in every process, on open connections too. Change apps and instances of the configuration
        file there.
      </PageHead>
      <Choice
        label="What"
        options={{ apps: 'Channels apps', instances: 'Push instances' }}
        value={kind}
        onChange={(kind) => setQuery({ kind })}
      />
      <Failure value={answer.failure} />
      {editable === false && all.length > 0 && (
        <Note>
          {isUnlisted(kind)
            ? `These are the ${kind} of the configuration. This application stores others itself and does not list them.`
            : `The ${kind} of this server are in its configuration: change them there.`}
        </Note>
      )}
      <div class="halves">
        <section class="card">
          {answer.value && all.length === 0 && <None kind={kind} />}
          <ul class="choices">
            {all.map((each) => (
              <li key={each.id}>
                <button
                  type="button"
                  class="nav-link apart"
                  aria-pressed={each.id === id}
                  onClick={() => show(each.id)}
                >
                  <span class="break">{(each['name'] as string | null) ?? each.id}</span>
                  <span class="row">
                    {!each.enabled && <Badge tone="warn">disabled</Badge>}
                    <Badge tone={each.origin === 'database' ? 'accent' : ''}>{each.origin}</Badge>
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </section>
        {chosen && (
          <Editor
            key={`${kind} ${chosen.id} ${String(chosen.version)}`}
            kind={kind}
            value={chosen}
            schema={answer.value!.schema}
            onChanged={answer.reload}
            onSecret={setSecret}
          />
        )}
      </div>
      {creates && (
        <Create
          kind={kind}
          onClose={() => setCreates(false)}
          onMade={(made) => {
            setSecret(made);
            answer.reload();
            if (made['id']) show(made['id']);
          }}
        />
      )}
      {secret && <SecretOnce value={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}

const fileLines = `{
  "apps": [{ "id": "1", "key": "…", "secret": "…" }],
  "instances": [{ "id": "8a0c…", "secretKey": "…" }]
}`;

/** Instead of an empty list. */
function None({ kind }: { readonly kind: Kind }) {
  if (isUnlisted(kind)) return <Unlisted kind={kind} />;
  const title = `No ${kinds[kind].one} is configured`;
  return isEditable(kind) ? (
    <Empty icon={Settings} title={title}>
      Create one here, or in the configuration file.
    </Empty>
  ) : (
    <Empty icon={Settings} title={title} code={fileLines}>
      List apps and instances in the file that <code>CONFIG_FILE</code> names:
    </Empty>
  );
}
