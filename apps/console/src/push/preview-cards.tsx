import type { Platform, Preview } from '../api/contract.js';
import { seenOf } from '../api/seen-text.js';
import { JsonView } from '../parts/json-view.js';
import { platformNames, platforms } from './platforms.js';

/** The notification on each platform, and the full request to the selected platform's gateway. */
export function PreviewCards(props: { readonly value: Preview | undefined; readonly platform: Platform }) {
  const { value: preview, platform } = props;
  const payload = preview?.[platform];
  return (
    <>
      <section class="columns" aria-label="Preview">
        {platforms.map((each) => (
          <div class="stack tight" key={each}>
            <h2 class="minor">{platformNames[each]}</h2>
            <Card platform={each} payload={preview?.[each]} />
          </div>
        ))}
      </section>
      <section class="card stack">
        <h2>Request to {platformNames[platform]}</h2>
        {payload ? (
          <JsonView value={payload} label="Request to the gateway" />
        ) : (
          <p class="soft">
            {preview
              ? 'Nothing is sent: there is no body for this platform.'
              : 'It appears here once the notification has a title or a text.'}
          </p>
        )}
      </section>
    </>
  );
}

function Card({ platform, payload }: { readonly platform: Platform; readonly payload: unknown }) {
  const { title, text } = seenOf(payload);
  const silent = title ? '' : 'A silent notification: its data goes to the app.';
  return (
    <div class="card stack tight break">
      {payload ? (
        <>
          <span class="small faint">{platform === 'web' ? location.hostname : 'Your app'} · now</span>
          <b>{title}</b>
          <p>{text || silent}</p>
        </>
      ) : (
        <span class="faint">{payload === undefined ? '' : 'Nothing is sent.'}</span>
      )}
    </div>
  );
}
