import { useState } from 'preact/hooks';
import { ask, pathOf, Refusal } from '../api/ask.js';
import type { Administered } from '../api/contract.js';
import { Confirm } from '../parts/dialog.js';
import { Choice } from '../parts/fields.js';
import { moment } from '../parts/time.js';
import { say, tried } from '../parts/toasts.js';
import { Note } from '../parts/words.js';
import { useUnsaved } from '../shell/unsaved.js';
import { ConnectApp, ConnectInstance } from './connect.js';
import { textsOf } from './create.js';
import { changesOf, kinds, type Kind, settingsIn } from './kinds.js';
import { RotateDialog } from './rotate-dialog.js';
import { SettingField } from './setting-field.js';

/** What is asked before a change that is hard to take back. */
interface Question {
  readonly title: string;
  readonly says: string;
  readonly action: string;
  /** What has to be typed. */
  readonly typed?: string;
  onConfirm(): void;
}

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
  const [asks, setAsks] = useState<Question>();
  const [refusal, setRefusal] = useState<string>();
  const [tab, setTab] = useState<'settings' | 'connect'>('settings');
  const [rotates, setRotates] = useState(false);
  const changes = changesOf(before, settings);
  const isFixed = of.origin === 'configuration';
  useUnsaved(Object.keys(changes).length > 0);

  const change = async (method: string, body: unknown, done: string, at = own): Promise<void> => {
    if (await tried(() => ask(method, at, body), done)) props.onChanged();
  };
  const save = async (): Promise<void> => {
    setRefusal(undefined);
    try {
      await ask('PATCH', own, { ...changes, version: of.version });
      say('Saved.');
      props.onChanged();
    } catch (error) {
      const text = error instanceof Refusal ? error.message : String(error);
      const named = Object.keys(before).find((name) => text.includes(name));
      if (named === undefined) return say(text, 'bad');
      setRefusal(text);
      document.querySelector(`[data-setting="${named}"]`)?.scrollIntoView({ block: 'center' });
    }
  };
  const rotate = async (rotation: object): Promise<void> => {
    await tried(async () => {
      props.onSecret({ id: of.id, ...textsOf(await ask('POST', `${own}/rotate`, rotation)) });
    }, 'A new secret was created.');
    props.onChanged();
  };

  const removal: Question = {
    title: `Remove ${of.id}?`,
    says: 'Its clients are closed and its keys become invalid. This cannot be undone.',
    action: 'Remove it',
    typed: of.id,
    onConfirm: () => void change('DELETE', undefined, 'Removed.'),
  };
  const disabling: Question = {
    title: `Disable ${of.id}?`,
    says: 'Its clients are closed, and requests with its keys are refused, until it is enabled again.',
    action: 'Disable it',
    onConfirm: () => void change('PATCH', { enabled: false }, 'Disabled.'),
  };
  const keyRemoval = (key: string): Question => ({
    title: 'Remove this key?',
    says: 'Servers and clients that still use it are refused at once. This cannot be undone.',
    action: 'Remove the key',
    typed: key,
    onConfirm: () => void change('DELETE', undefined, 'The key was removed.', `${own}/keys/${pathOf(key)}`),
  });

  return (
    <section class="card stack">
      <h2 class="break">{(of['name'] as string | null) ?? of.id}</h2>
      <Choice label="Part" of={{ settings: 'Settings', connect: 'Connect' }} value={tab} onChange={setTab} />
      {tab === 'connect' &&
        (props.kind === 'apps' ? <ConnectApp id={of.id} appKey={String(of['key'])} /> : <ConnectInstance id={of.id} />)}
      <div class="stack" hidden={tab !== 'settings'}>
        {isFixed && <Note>This {one} is part of the configuration file: change it there.</Note>}
        {!isFixed && (
          <div class="row">
            <button
              type="button"
              class="button"
              onClick={() => (of.enabled ? setAsks(disabling) : void change('PATCH', { enabled: true }, 'Enabled.'))}
            >
              {of.enabled ? 'Disable' : 'Enable'}
            </button>
            <button type="button" class="button" onClick={() => setRotates(true)}>
              New secret
            </button>
            <button type="button" class="button danger" onClick={() => setAsks(removal)}>
              Remove
            </button>
          </div>
        )}
        {'keys' in of && (
          <ul class="choices">
            {[of['key'], ...(of['keys'] as readonly string[])].map((key, index) => (
              <li key={String(key)} class="row">
                <code class="break">{String(key)}</code>
                <span class="small soft">{index === 0 ? 'current' : validity(of, String(key))}</span>
                {index > 0 && !isFixed && (
                  <button type="button" class="button danger" onClick={() => setAsks(keyRemoval(String(key)))}>
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
            void save();
          }}
        >
          {Object.keys(before).map((name) => (
            <SettingField
              key={name}
              name={name}
              kind={props.kind}
              of={of.id}
              refusal={refusal?.includes(name) ? refusal : undefined}
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
      </div>
      {rotates && (
        <RotateDialog id={of.id} onClose={() => setRotates(false)} onConfirm={(rotation) => void rotate(rotation)} />
      )}
      {asks && (
        <Confirm {...asks} onClose={() => setAsks(undefined)}>
          {asks.says}
        </Confirm>
      )}
    </section>
  );
}

/** Until when an old key is valid. */
function validity(of: Administered, key: string): string {
  const until = (of['keysValidUntil'] as Readonly<Record<string, string>> | undefined)?.[key];
  return until === undefined ? 'valid until you remove it' : `valid until ${moment(Date.parse(until))}`;
}
