import { useState } from 'preact/hooks';
import { ask, pathOf, Refusal } from '../api/ask.js';
import type { Administered, SettingSchema } from '../api/contract.js';
import { Confirm } from '../parts/dialog.js';
import { Choice } from '../parts/fields.js';
import { say, tried } from '../parts/toasts.js';
import { Note } from '../parts/words.js';
import { useUnsaved } from '../shell/unsaved.js';
import { ConnectApp, ConnectInstance } from './connect.js';
import { textsOf } from './create.js';
import { CheckGateway } from './check-gateway.js';
import { changesOf, kinds, type Kind } from './kinds.js';
import { Keys } from './keys.js';
import { RotateDialog } from './rotate-dialog.js';
import { isFaulty } from './schema.js';
import { Setting } from './setting.js';

/** The question before a change that is hard to take back. */
interface Question {
  readonly title: string;
  readonly says: string;
  readonly action: string;
  /** The text to type. */
  readonly typed?: string;
  onConfirm(): void;
}

/** Edits one app or instance: whether it is served, its keys, and its settings. */
export function Editor(props: {
  readonly kind: Kind;
  readonly value: Administered;
  readonly schema: Readonly<Record<string, SettingSchema>>;
  onChanged(): void;
  onSecret(secret: Readonly<Record<string, string>>): void;
}) {
  const { value: edited, schema } = props;
  const names = Object.keys(schema);
  const { one, path } = kinds[props.kind];
  const own = `${path}/${pathOf(edited.id)}`;
  const before = Object.fromEntries(names.map((name) => [name, edited[name]]));
  const [settings, setSettings] = useState(before);
  const [asks, setAsks] = useState<Question>();
  const [refusal, setRefusal] = useState<{ readonly name: string; readonly text: string }>();
  const [tab, setTab] = useState<'settings' | 'connect'>('settings');
  const [rotates, setRotates] = useState(false);
  const changes = changesOf(before, settings);
  const isRefused = names.some((name) => isFaulty(schema[name]!, settings[name]));
  const isFixed = edited.origin === 'configuration';
  useUnsaved(Object.keys(changes).length > 0);

  const change = async (method: string, body: unknown, done: string, at = own): Promise<void> => {
    if (await tried(() => ask(method, at, body), done)) props.onChanged();
  };
  const save = async (): Promise<void> => {
    setRefusal(undefined);
    try {
      await ask('PATCH', own, { ...changes, version: edited.version });
      say('Saved.');
      props.onChanged();
    } catch (error) {
      const text = error instanceof Refusal ? error.message : String(error);
      // Such as `webhooks[0].url must be …`.
      const [name = ''] = /^\w+/.exec(text) ?? [];
      if (!names.includes(name)) return say(text, 'bad');
      setRefusal({ name, text });
      document.querySelector(`[data-setting="${name}"]`)?.scrollIntoView({ block: 'center' });
    }
  };
  const rotate = async (rotation: object): Promise<void> => {
    await tried(async () => {
      props.onSecret({ id: edited.id, ...textsOf(await ask('POST', `${own}/rotate`, rotation)) });
    }, 'A new secret was created.');
    props.onChanged();
  };

  const removal: Question = {
    title: `Remove ${edited.id}?`,
    says: 'The server closes its clients and refuses its keys. You cannot undo this.',
    action: 'Remove it',
    typed: edited.id,
    onConfirm: () => void change('DELETE', undefined, 'Removed.'),
  };
  const disabling: Question = {
    title: `Disable ${edited.id}?`,
    says: 'The server closes its clients and refuses its keys until you enable it again.',
    action: 'Disable it',
    onConfirm: () => void change('PATCH', { enabled: false }, 'Disabled.'),
  };
  const keyRemoval = (key: string): Question => {
    const isCurrent = key === edited.key;
    const what = isCurrent ? 'the old secrets' : 'the key';
    const done = isCurrent ? 'The old secrets were removed.' : 'The key was removed.';
    return {
      title: isCurrent ? 'Remove the old secrets of this key?' : 'Remove this key?',
      says: `The server refuses ${what} at once. You cannot undo this.`,
      action: `Remove ${what}`,
      typed: key,
      onConfirm: () => void change('DELETE', undefined, done, `${own}/keys/${pathOf(key)}`),
    };
  };

  return (
    <section class="card stack">
      <h2 class="break">{(edited['name'] as string | null) ?? edited.id}</h2>
      <Choice label="Part" options={{ settings: 'Settings', connect: 'Connect' }} value={tab} onChange={setTab} />
      {tab === 'connect' &&
        (props.kind === 'apps' ? (
          <ConnectApp id={edited.id} appKey={edited.key} />
        ) : (
          <ConnectInstance id={edited.id} />
        ))}
      <div class="stack" hidden={tab !== 'settings'}>
        {isFixed && <Note>This {one} is part of the configuration file: change it there.</Note>}
        {!isFixed && (
          <div class="row">
            <button
              type="button"
              class="button"
              onClick={() =>
                edited.enabled ? setAsks(disabling) : void change('PATCH', { enabled: true }, 'Enabled.')
              }
            >
              {edited.enabled ? 'Disable' : 'Enable'}
            </button>
            <button type="button" class="button" onClick={() => setRotates(true)}>
              New secret
            </button>
            <button type="button" class="button danger" onClick={() => setAsks(removal)}>
              Remove
            </button>
          </div>
        )}
        <Keys kind={props.kind} value={edited} fixed={isFixed} onRemove={(key) => setAsks(keyRemoval(key))} />
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <fieldset class="stack" disabled={isFixed}>
            {names.map((name) => (
              <div class="stack" key={name} data-setting={name}>
                <Setting
                  path={name}
                  schema={schema[name]!}
                  value={settings[name]}
                  onChange={(changed) => setSettings((all) => ({ ...all, [name]: changed ?? null }))}
                >
                  {(name === 'apns' || name === 'fcm' || name === 'web') && (
                    <CheckGateway
                      key={JSON.stringify(settings[name])}
                      instance={edited.id}
                      platform={name}
                      credentials={settings[name]}
                    />
                  )}
                </Setting>
                {refusal?.name === name && <Note tone="bad">{refusal.text}</Note>}
              </div>
            ))}
            <button class="button main" disabled={Object.keys(changes).length === 0 || isRefused}>
              Save
            </button>
          </fieldset>
        </form>
      </div>
      {rotates && (
        <RotateDialog
          kind={props.kind}
          id={edited.id}
          onClose={() => setRotates(false)}
          onConfirm={(rotation) => void rotate(rotation)}
        />
      )}
      {asks && (
        <Confirm {...asks} onClose={() => setAsks(undefined)}>
          {asks.says}
        </Confirm>
      )}
    </section>
  );
}
