import { useState } from 'preact/hooks';
import { ask, pathOf, refusalOf } from '../api/ask.js';
import type { Administered, SettingSchema } from '../api/contract.js';
import { Button, Form, Submit } from '../parts/button.js';
import { ConfirmButton } from '../parts/dialog.js';
import { Choice } from '../parts/fields.js';
import { say, tried } from '../parts/toasts.js';
import { Note } from '../parts/words.js';
import { useUnsaved } from '../shell/unsaved.js';
import { Connect } from './connect.js';
import { textsOf } from './create.js';
import { CheckGateway } from './check-gateway.js';
import { changesOf, kinds, type Kind } from './kinds.js';
import { Keys } from './keys.js';
import { RotateDialog } from './rotate-dialog.js';
import { isFaulty } from './schema.js';
import { Setting } from './setting.js';

const whileDisabled = {
  apps: 'Until you enable it again, requests are answered 403, and connections are closed with 4003.',
  instances: 'Until you enable it again, requests are answered 403. Accepted publishes are still sent.',
} as const;

const onceRemoved = {
  apps: 'Requests are answered 401, and connections are closed with 4001.',
  instances: 'Requests are answered 404. Accepted publishes are no longer sent.',
} as const;

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
  /** What was saved last: `edited` follows only once it was fetched again. */
  const [saved, setSaved] = useState(before);
  const [refusal, setRefusal] = useState<{ readonly name: string; readonly text: string }>();
  const [tab, setTab] = useState<'settings' | 'connect'>('settings');
  const [rotates, setRotates] = useState(false);
  const changes = changesOf(before, settings);
  const isRefused = names.some((name) => isFaulty(schema[name]!, settings[name]));
  const isFixed = edited.origin === 'configuration';
  const isUnsaved = settings !== saved && Object.keys(changes).length > 0;
  useUnsaved(isUnsaved);

  const change = async (method: string, body: unknown, done: string, at = own): Promise<void> => {
    if (await tried(() => ask(method, at, body), done)) props.onChanged();
  };
  const save = async (): Promise<void> => {
    setRefusal(undefined);
    try {
      await ask('PATCH', own, { ...changes, version: edited.version });
      setSaved(settings);
      say('Saved.');
      props.onChanged();
    } catch (error) {
      const text = refusalOf(error).message;
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

  const removeKey = (key: string): Promise<void> =>
    change(
      'DELETE',
      undefined,
      key === edited.key ? 'The old secrets were removed.' : 'The key was removed.',
      `${own}/keys/${pathOf(key)}`,
    );

  return (
    <section class="card stack">
      <h2 class="break">{(edited['name'] as string | null) ?? edited.id}</h2>
      <Choice label="Part" options={{ settings: 'Settings', connect: 'Connect' }} value={tab} onChange={setTab} />
      {tab === 'connect' && <Connect kind={props.kind} id={edited.id} appKey={edited.key} />}
      <div class="stack" hidden={tab !== 'settings'}>
        {isFixed && <Note>This {one} is part of the configuration file: change it there.</Note>}
        {!isFixed && (
          <div class="row">
            {edited.enabled ? (
              <ConfirmButton
                title={`Disable ${edited.id}?`}
                label="Disable"
                look=""
                action="Disable it"
                onConfirm={() => void change('PATCH', { enabled: false }, 'Disabled.')}
              >
                {whileDisabled[props.kind]}
              </ConfirmButton>
            ) : (
              <Button onClick={() => void change('PATCH', { enabled: true }, 'Enabled.')}>Enable</Button>
            )}
            <Button onClick={() => setRotates(true)}>New secret</Button>
            <ConfirmButton
              title={`Remove ${edited.id}?`}
              label="Remove"
              action="Remove it"
              typed={edited.id}
              onConfirm={() => void change('DELETE', undefined, 'Removed.')}
            >
              {onceRemoved[props.kind]} You cannot undo this.
            </ConfirmButton>
          </div>
        )}
        <Keys kind={props.kind} value={edited} fixed={isFixed} onRemove={(key) => void removeKey(key)} />
        <Form class="stack" onSubmit={() => void save()}>
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
            <Submit disabled={!isUnsaved || isRefused}>Save</Submit>
          </fieldset>
        </Form>
      </div>
      {rotates && (
        <RotateDialog
          kind={props.kind}
          id={edited.id}
          onClose={() => setRotates(false)}
          onConfirm={(rotation) => void rotate(rotation)}
        />
      )}
    </section>
  );
}
