import { ListFilter, X } from 'lucide-preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { activityKinds, type ActivityKind } from '../api/contract.js';
import { everything, type Filter, isEverything } from '../api/live-filter.js';
import { kindNames } from './activity-words.js';

/** Filters by kind, channel, event, data and socket. */
export function Filters({ value, onChange }: { readonly value: Filter; onChange(filter: Filter): void }) {
  return (
    <div class="filters" role="group" aria-label="Filter">
      <Kinds value={value.kinds} onChange={(kinds) => onChange({ ...value, kinds })} />
      <input
        class="short"
        type="search"
        data-search
        aria-label="Channel"
        placeholder="Part of a channel"
        title="A part of the channel's name, or news-* for names that begin with news-"
        value={value.channel}
        onInput={(event) => onChange({ ...value, channel: event.currentTarget.value.trim() })}
      />
      <input
        class="short"
        type="search"
        aria-label="Event or data"
        placeholder="Part of event or data"
        title="A part of an event's name or data, of an error's message, a user id or a webhook's URL"
        value={value.text}
        onInput={(event) => onChange({ ...value, text: event.currentTarget.value })}
      />
      <input
        class="short"
        type="search"
        aria-label="Socket"
        placeholder="Socket id"
        value={value.socketId}
        onInput={(event) => onChange({ ...value, socketId: event.currentTarget.value.trim() })}
      />
      {!isEverything(value) && (
        <button type="button" class="button plain" onClick={() => onChange(everything)}>
          <X size={16} aria-hidden="true" /> Show everything
        </button>
      )}
    </div>
  );
}

function Kinds(props: { readonly value: readonly ActivityKind[]; onChange(kinds: ActivityKind[]): void }) {
  const [open, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    const outside = (event: Event): void => {
      if (!place.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', outside);
    const pressed = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') setOpen(false);
    };
    document.addEventListener('focusin', outside);
    document.addEventListener('keydown', pressed);
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('focusin', outside);
      document.removeEventListener('keydown', pressed);
    };
  }, [open]);
  const toggled = (kind: ActivityKind): ActivityKind[] =>
    props.value.includes(kind) ? props.value.filter((each) => each !== kind) : [...props.value, kind];
  return (
    <div class="kinds" ref={place}>
      <button
        type="button"
        class="button"
        aria-expanded={open}
        aria-pressed={props.value.length > 0}
        onClick={() => setOpen(!open)}
      >
        <ListFilter size={16} aria-hidden="true" />
        {props.value.length === 0 ? 'All kinds' : props.value.map((kind) => kindNames[kind][0]).join(', ')}
      </button>
      {open && (
        <div role="group" aria-label="Kinds">
          {activityKinds.map((kind) => (
            <label key={kind}>
              <input
                type="checkbox"
                checked={props.value.includes(kind)}
                onChange={() => props.onChange(toggled(kind))}
              />
              <span class={`badge ${kindNames[kind][1]}`}>{kindNames[kind][0]}</span>
            </label>
          ))}
        </div>
      )}
    </div>
  );
}
