import { Bell } from 'lucide-preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation, useSearchParams } from 'wouter-preact';
import { ask, pathOf, refusalOf } from '../api/ask.js';
import type { Platform, Preview, PushBody, Reach } from '../api/contract.js';
import { seenOf } from '../api/seen-text.js';
import { Form, Submit } from '../parts/button.js';
import { Choice, Field, jsonFault, namesIn } from '../parts/fields.js';
import { say } from '../parts/toasts.js';
import { Note, PageHead } from '../parts/words.js';
import type { PageProps } from '../settings/kinds.js';
import { instancePath } from '../shell/whereabouts.js';
import { platformNames, platforms } from './platforms.js';
import { PreviewCards } from './preview-cards.js';
import { ReachDialog } from './reach-dialog.js';
import { bodyOf, type Written, writtenOf } from './publish-body.js';

/** Composes a notification, previews each gateway's request, and publishes it. */
export function ComposerPage({ id: instance }: PageProps) {
  const [query] = useSearchParams();
  const [, go] = useLocation();
  const [audience, setAudience] = useState<'interests' | 'users'>(query.get('users') ? 'users' : 'interests');
  const [names, setNames] = useState(query.get('users') ?? query.get('interests') ?? '');
  const [title, setTitle] = useState('');
  const [text, setText] = useState('');
  const [written, setWritten] = useState<Written>(writtenOf('', ''));
  const [platform, setPlatform] = useState<Platform>('apns');
  const [time, setTime] = useState<'now' | 'later'>('now');
  const [publishAt, setPublishAt] = useState(soon);
  const [reach, setReach] = useState<Reach>();
  const [isBusy, setIsBusy] = useState(false);
  const { preview, failure } = usePreview(instance, written);
  const fault = jsonFault(written[platform]);

  const write = (title: string, text: string): void => {
    setTitle(title);
    setText(text);
    setWritten(writtenOf(title, text));
  };
  const path = pathOf('instances', instance);
  const body = bodyOf(written);
  const isSendable = body !== undefined && Object.keys(body).length > 0;
  const request = { [audience]: namesIn(names), body };
  const busily = async (work: () => Promise<void>): Promise<void> => {
    setIsBusy(true);
    try {
      await work();
    } catch (error) {
      say(refusalOf(error).message, 'bad');
    }
    setIsBusy(false);
  };
  const publish = async (): Promise<void> => {
    const later = time === 'later' ? { publishAt: new Date(publishAt).getTime() } : {};
    const { publishId } = await ask<{ publishId: string }>('POST', `${path}/publishes`, { ...request, ...later });
    say(time === 'later' ? 'Scheduled.' : 'Published.');
    go(instancePath(instance, pathOf('publishes', publishId)));
  };

  return (
    <>
      <PageHead title="Composer">
        Composes a notification, and previews the requests to Apple, Google and browsers.
      </PageHead>
      <div class="halves">
        <Form
          class="card stack"
          onSubmit={() => void busily(async () => setReach(await ask<Reach>('POST', `${path}/reach`, request)))}
        >
          <div class="stack">
            <Choice
              label="To"
              options={{ interests: 'To interests', users: 'To users' }}
              value={audience}
              onChange={setAudience}
            />
            <Field label={audience === 'interests' ? 'Interests' : 'Users'} hint="Separated by commas or spaces.">
              <input
                required
                placeholder={audience === 'interests' ? 'news, orders' : 'alice, bob'}
                value={names}
                onInput={(event) => setNames(event.currentTarget.value)}
              />
            </Field>
          </div>
          <Field label="Title">
            <input placeholder="Your order" value={title} onInput={(event) => write(event.currentTarget.value, text)} />
          </Field>
          <Field label="Text">
            <input
              placeholder="It is on its way."
              value={text}
              onInput={(event) => write(title, event.currentTarget.value)}
            />
          </Field>
          <fieldset class="stack">
            <legend class="unseen">Platform bodies</legend>
            <Choice label="Platform" options={platformNames} value={platform} onChange={setPlatform} />
            <Field
              label={`Body for ${platformNames[platform]}`}
              fault={fault}
              hint="Editing title or text overwrites it; if empty, these devices get nothing."
            >
              <textarea
                spellcheck={false}
                value={written[platform]}
                aria-invalid={fault !== undefined}
                onInput={(event) => setWritten({ ...written, [platform]: event.currentTarget.value })}
              />
            </Field>
          </fieldset>
          <div class="stack">
            <Choice label="When" options={{ now: 'Now', later: 'At a time' }} value={time} onChange={setTime} />
            {time === 'later' && (
              <Field label="Time" hint={`In your time zone, ${zone}. At most 28 days ahead.`}>
                <input
                  type="datetime-local"
                  required
                  value={publishAt}
                  onInput={(event) => setPublishAt(event.currentTarget.value)}
                />
              </Field>
            )}
          </div>
          <div class="row">
            <Submit disabled={isBusy || !isSendable}>
              <Bell size={16} aria-hidden="true" /> {time === 'later' ? 'Schedule' : 'Publish'}
            </Submit>
            {platforms.some((each) => jsonFault(written[each])) && (
              <span class="small soft">A body is not valid JSON.</span>
            )}
          </div>
        </Form>
        <div class="stack">
          {failure && <Note tone="warn">{failure}</Note>}
          {preview?.errors.map((error) => (
            <Note key={error} tone="bad">
              {error}
            </Note>
          ))}
          <PreviewCards value={preview} platform={platform} />
        </div>
      </div>
      {reach && (
        <ReachDialog
          value={reach}
          target={`${audience === 'interests' ? 'Interests' : 'Users'}: ${namesIn(names).join(', ')}`}
          text={textsOf(body)}
          publishAt={time === 'later' ? new Date(publishAt).getTime() : undefined}
          onClose={() => setReach(undefined)}
          onConfirm={() => void busily(publish)}
        />
      )}
    </>
  );
}

/** What the bodies say, which may differ by platform. */
function textsOf(body: PushBody | undefined): string {
  const seen = Object.values(body ?? {}).map((each) => seenOf(each));
  const texts = seen.map(({ title, text }) => [title, text].filter((each) => each !== '').join(' – '));
  return [...new Set(texts)].filter((each) => each !== '').join(' · ');
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The next full hour that is at least ten minutes away, as an input of a local time writes it. */
function soon(): string {
  const at = new Date(Date.now() + 70 * 60_000);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return `${local.toISOString().slice(0, 14)}00`;
}

/** The requests that the server would send, fetched shortly after each change. */
function usePreview(instance: string, written: Written) {
  const [state, setState] = useState<{ preview?: Preview; failure?: string }>({});
  useEffect(() => {
    const body = bodyOf(written);
    if (!body || Object.keys(body).length === 0) {
      setState({});
      return undefined;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      ask<Preview>('POST', `${pathOf('instances', instance)}/preview`, { body }, abort.signal).then(
        (preview) => setState({ preview }),
        (error: unknown) => {
          if (!abort.signal.aborted) setState((before) => ({ ...before, failure: refusalOf(error).message }));
        },
      );
    }, 300);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [instance, written]);
  return state;
}
