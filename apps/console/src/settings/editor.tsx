import { useState } from 'preact/hooks';
import { ask, pathOf } from '../api/ask.js';
import type { Administered } from '../api/contract.js';
import { Confirm } from '../parts/dialog.js';
import { tried } from '../parts/toasts.js';
import { Note } from '../parts/words.js';
import { textsOf } from './create.js';
import { changesOf, kinds, type Kind, settingsIn } from './kinds.js';
import { SettingField } from './setting-field.js';

/** Edits one app or instance: whether it is served, its keys, and its settings. */
export function Editor(props: {
  readonly kind: Kind;
  readonly of: Administered;
  onChanged(): void;
  onSecret(secret: Readonly<Record<string, string>>): void;
}) {
  const { of } = props;
  const { one, path } = kinds[props.kind];
  const own = `${path}/${pathOf(of.id)}`;
  const before = settingsIn(of);
  const [settings, setSettings] = useState(before);
  const [faulty, setFaulty] = useState<ReadonlySet<string>>(new Set());
  const [asks, setAsks] = useState<'remove' | 'disable'>();
  const changes = changesOf(before, settings);
  const isFixed = of.origin === 'configuration';

  const change = async (method: string, body: unknown, done: string, at = own): Promise<void> => {
    if (await tried(() => ask(method, at, body), done)) props.onChanged();
  };
  const rotate = async (): Promise<void> => {
    const done = 'A new secret was created; the old one stays valid until you remove it.';
    await tried(async () => {
      props.onSecret({ id: of.id, ...textsOf(await ask('POST', `${own}/rotate`, {})) });
    }, done);
    props.onChanged();
  };

  return (
    <section class="card stack">
      <h2 class="break">{of.id}</h2>
      {isFixed && <Note>This {one} is part of the configuration file: change it there.</Note>}
      {!isFixed && (
        <div class="row">
          <button
            type="button"
            class="button"
            onClick={() => (of.enabled ? setAsks('disable') : void change('PATCH', { enabled: true }, 'Enabled.'))}
          >
            {of.enabled ? 'Disable' : 'Enable'}
          </button>
          <button type="button" class="button" onClick={() => void rotate()}>
            New secret
          </button>
          <button type="button" class="button danger" onClick={() => setAsks('remove')}>
            Remove
          </button>
        </div>
      )}
      {'keys' in of && (
        <ul class="choices">
          {[of['key'], ...(of['keys'] as readonly string[])].map((key, index) => (
            <li key={String(key)} class="row">
              <code class="break">{String(key)}</code>
              {index > 0 && !isFixed && (
                <button
                  type="button"
                  class="button danger"
                  onClick={() =>
                    void change('DELETE', undefined, 'The key was removed.', `${own}/keys/${pathOf(String(key))}`)
                  }
                >
                  Remove key
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void change('PATCH', { ...changes, version: of.version }, 'Saved.');
        }}
      >
        {Object.keys(before).map((name) => (
          <SettingField
            key={name}
            name={name}
            kind={props.kind}
            value={settings[name]}
            fixed={isFixed}
            onChange={(changed, isFaulty) => {
              setSettings((all) => ({ ...all, [name]: changed }));
              setFaulty((all) => new Set([...all].filter((each) => each !== name).concat(isFaulty ? name : [])));
            }}
          />
        ))}
        {!isFixed && (
          <button class="button main" disabled={Object.keys(changes).length === 0 || faulty.size > 0}>
            Save
          </button>
        )}
      </form>
      {asks && (
        <Confirm
          title={asks === 'remove' ? `Remove ${of.id}?` : `Disable ${of.id}?`}
          action={asks === 'remove' ? 'Remove it' : 'Disable it'}
          onClose={() => setAsks(undefined)}
          onConfirm={() =>
            void (asks === 'remove'
              ? change('DELETE', undefined, 'Removed.')
              : change('PATCH', { enabled: false }, 'Disabled.'))
          }
        >
          {asks === 'remove'
            ? 'Its clients are closed and its keys become invalid. This cannot be undone.'
            : 'Its clients are closed, and requests with its keys are refused, until it is enabled again.'}
        </Confirm>
      )}
    </section>
  );
}
