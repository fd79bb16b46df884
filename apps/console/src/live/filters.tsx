import { ListFilter, X } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { activityKinds, type ActivityKind } from '../api/contract.js';
import { everything, type Filter, isEverything } from '../api/live-filter.js';
import { Button } from '../parts/button.js';
import { SearchInput } from '../parts/fields.js';
import { Badge } from '../parts/words.js';
import { useKeys } from '../shell/keys.js';
import { kindNames } from './summary-words.js';

const searches = [
  {
    of: 'channel',
    words: 'Channel',
    placeholder: 'Part of a channel',
    title: "A part of the channel's name, or news-* for names that begin with news-",
    'data-search': true,
  },
  {
    of: 'text',
    words: 'Event or data',
    placeholder: 'Part of event, data',
    title: "A part of an event's name or data, of an error's message, a user id or a webhook's URL",
  },
  { of: 'socketId', words: 'Socket', placeholder: 'Socket id' },
] as const;

/** Filters by kind, channel, event, data and socket. */
export function Filters({ value, onChange }: { readonly value: Filter; onChange(filter: Filter): void }) {
  return (
    <div class="row" role="group" aria-label="Filter">
      <Kinds value={value.kinds} onChange={(kinds) => onChange({ ...value, kinds })} />
      {searches.map(({ of, words, ...others }) => (
        <SearchInput
          key={of}
          class="short"
          aria-label={words}
          {...others}
          value={value[of]}
          onChange={(text) => onChange({ ...value, [of]: of === 'text' ? text : text.trim() })}
        />
      ))}
      {!isEverything(value) && (
        <Button look="plain" onClick={() => onChange(everything)}>
          <X size={16} aria-hidden="true" /> Show everything
        </Button>
      )}
    </div>
  );
}

function Kinds(props: { readonly value: readonly ActivityKind[]; onChange(kinds: ActivityKind[]): void }) {
  const [open, setOpen] = useState(false);
  useKeys(open ? { Escape: () => setOpen(false) } : {});
  const toggled = (kind: ActivityKind): ActivityKind[] =>
    props.value.includes(kind) ? props.value.filter((each) => each !== kind) : [...props.value, kind];
  return (
    // It can have the focus, so that a click on its labels does not take the focus elsewhere.
    <div
      class="kinds"
      role="group"
      aria-label="Kinds"
      tabIndex={-1}
      onFocusOut={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget as Node) || setOpen(false)}
    >
      <Button aria-expanded={open} aria-pressed={props.value.length > 0} onClick={() => setOpen(!open)}>
        <ListFilter size={16} aria-hidden="true" />
        {kindsInWords(props.value)}
      </Button>
      {open && (
        <div class="card stack tight">
          {activityKinds.map((kind) => (
            <label key={kind} class="row">
              <input
                type="checkbox"
                checked={props.value.includes(kind)}
                onChange={() => props.onChange(toggled(kind))}
              />
              <Badge tone={kindNames[kind][1]}>{kindNames[kind][0]}</Badge>
            </label>
          ))}
          {props.value.length > 0 && (
            <Button look="plain" onClick={() => props.onChange(others(props.value))}>
              All but these
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

const others = (kinds: readonly ActivityKind[]): ActivityKind[] =>
  activityKinds.filter((kind) => !kinds.includes(kind));

/** The fewer words: those that are shown, or those that are not. */
function kindsInWords(kinds: readonly ActivityKind[]): string {
  const hidden = others(kinds);
  if (kinds.length === 0 || hidden.length === 0) return 'All kinds';
  const [words, named] = hidden.length < kinds.length ? ['All but ', hidden] : ['', kinds];
  return words + named.map((kind) => kindNames[kind][0]).join(', ');
}
