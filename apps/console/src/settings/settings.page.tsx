import { Settings } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { useAnswer } from '../api/answer.js';
import type { AllAdministered } from '../api/contract.js';
import { Choice } from '../parts/fields.js';
import { Badge, Empty, Failure, Note, PageHead } from '../parts/words.js';
import { overview } from '../shell/whereabouts.js';
import { Create } from './create.js';
import { Editor } from './editor.js';
import { type Kind, kinds } from './kinds.js';
import { CopyButton } from '../parts/copy.js';
import { Dialog } from '../parts/dialog.js';

/** New credentials, shown once. */
const SecretOnce = (props: { readonly value: Readonly<Record<string, string>>; onClose(): void }) => (
  <Dialog title="Store these credentials" stays onClose={props.onClose}>
    <Note tone="warn">The secret is shown only once. Anyone who has it can send as you.</Note>
    <dl class="facts">
      {Object.entries(props.value).map(([name, value]) => [
        <dt key={`${name}-`}>{name}</dt>,
        <dd key={name} class="row">
          <code class="break">{value}</code>
          <CopyButton text={value} label={`Copy the ${name}`} />
        </dd>,
      ])}
    </dl>
    <div class="ends">
      <button type="button" class="button main" onClick={props.onClose}>
        I have stored them
      </button>
    </div>
  </Dialog>
);

/** Apps and instances, which can be changed while the server runs. */
export function SettingsPage() {
  const [query, setQuery] = useSearchParams();
  const kind: Kind = query.get('kind') === 'instances' ? 'instances' : 'apps';
  const id = query.get('id');
  const editable = overview.value?.editable;
  const answer = useAnswer<AllAdministered>(editable ? kinds[kind].path : null);
  const [creates, setCreates] = useState(false);
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
            <button type="button" class="button main" onClick={() => setCreates(true)}>
              New {kinds[kind].one}
            </button>
          )
        }
      >
        A change takes effect in every process, on open connections too. Apps and instances of the configuration file
        can only be changed there.
      </PageHead>
      {editable === false ? (
        <Configured />
      ) : (
        <>
          <Choice
            label="What"
            options={{ apps: 'Channels apps', instances: 'Push instances' }}
            value={kind}
            onChange={(kind) => setQuery({ kind })}
          />
          <Failure value={answer.failure} />
          <div class="halves">
            <section class="card">
              {answer.value && all.length === 0 && (
                <Empty icon={Settings} title={`No ${kinds[kind].one} is configured`}>
                  Create one here, or in the configuration file.
                </Empty>
              )}
              <ul class="choices">
                {all.map((each) => (
                  <li key={each.id}>
                    <button type="button" aria-pressed={each.id === id} onClick={() => show(each.id)}>
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
        </>
      )}
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

const Configured = () => (
  <>
    <Note>This server takes its apps and instances only from its configuration.</Note>
    <Empty icon={Settings} title="Change them in the configuration" code={fileLines}>
      List apps and instances in the file that <code>CONFIG_FILE</code> names:
    </Empty>
  </>
);
