import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { SettingSchema } from '../api/contract.js';
import { Button } from '../parts/button.js';
import { Field } from '../parts/fields.js';
import { LineInput, LinesInput } from './inputs.js';
import { titleOf } from './kinds.js';
import { faultOf, formats, formOf, hidden, ofValue, type TextFormat } from './schema.js';
import { wordsOf } from './words.js';

type Fields = Readonly<Record<string, unknown>>;

interface Setting {
  /** Such as `webhooks.url`. */
  readonly path: string;
  readonly schema: SettingSchema;
  readonly value: unknown;
  readonly isRequired?: boolean | undefined;
  /** `undefined` and `null` stand for an empty field. */
  onChange(value: unknown): void;
  /** More buttons of an object that is set. */
  readonly children?: ComponentChildren;
}

const labelOf = (path: string): string => wordsOf(path).label ?? titleOf(path.slice(path.lastIndexOf('.') + 1));

/** Edits a setting, as its schema describes it. */
export function Setting(setting: Setting) {
  const { path, value, isRequired, onChange } = setting;
  const schema = ofValue(setting.schema);
  const form = formOf(schema);
  if (form === 'fields') return <FieldsSetting {...setting} schema={schema} />;
  if (form === 'list') return <ListSetting {...setting} schema={schema} />;
  if (form === 'choices') return <ChoicesSetting {...setting} schema={schema} />;
  const { hint, placeholder, file, fault, isOn = false } = wordsOf(path);
  const label = labelOf(path);
  if (form === 'switch')
    return <Switch label={label} hint={hint} isOn={(value ?? schema.default ?? isOn) as boolean} onChange={onChange} />;
  const found = faultOf(schema, value, isRequired);
  const format = (formats as Partial<Record<string, TextFormat>>)[form === 'text' && file ? 'file' : form];
  const isMissing = value === undefined || value === null || value === '';
  const shared = { value, placeholder: placeholder ?? String(schema.default ?? ''), onChange };
  return (
    <>
      <Field label={label} hint={hintOf(value) ?? hint} fault={found && ((!isMissing && fault) || found)}>
        {format ? <LinesInput format={format} {...shared} /> : <LineInput schema={schema} {...shared} />}
      </Field>
      {file !== undefined && (
        <label class="row small">
          From a file
          <input
            type="file"
            accept={file}
            aria-label={`${label} from a file`}
            onChange={({ currentTarget }) =>
              void currentTarget.files?.[0]?.text().then((text) => onChange(format?.read(text)))
            }
          />
        </label>
      )}
    </>
  );
}

function hintOf(value: unknown): string | undefined {
  if (value === hidden) return 'The value is hidden. It stays unless you enter another.';
  return JSON.stringify(value ?? '').includes(hidden) ? 'Parts shown as ******** stay unchanged.' : undefined;
}

/** A checkbox, and its hint. */
function Switch(props: {
  readonly label: string;
  readonly hint: string | undefined;
  readonly isOn: boolean;
  onChange(isOn: boolean): void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label class="row">
        <input
          type="checkbox"
          aria-describedby={props.hint && `${id}-note`}
          checked={props.isOn}
          onChange={({ currentTarget: { checked } }) => props.onChange(checked)}
        />
        {props.label}
      </label>
      {props.hint && <small id={`${id}-note`}>{props.hint}</small>}
    </div>
  );
}

/** Several of a few values. */
function ChoicesSetting({ path, schema, value, isRequired, onChange }: Setting) {
  const chosen = (value ?? []) as readonly string[];
  const all = schema.items!.enum!;
  const note = isRequired && chosen.length === 0 ? 'Select at least one.' : wordsOf(path).hint;
  return (
    <div class="stack" role="group" aria-label={labelOf(path)}>
      <div class="columns">
        {all.map((name) => (
          <label class="row" key={name}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ currentTarget: { checked } }) =>
                onChange(all.filter((each) => (each === name ? checked : chosen.includes(each))))
              }
            />
            {name}
          </label>
        ))}
      </div>
      {note && <small>{note}</small>}
    </div>
  );
}

/** An object: each of its fields. Without any it is absent. */
function FieldsSetting({ path, value, onChange, children, ...setting }: Setting) {
  const { hint } = wordsOf(path);
  const label = labelOf(path);
  const isSet = value !== undefined && value !== null;
  return (
    <fieldset class="stack">
      <legend>{label}</legend>
      {hint && <small>{hint}</small>}
      <FieldInputs
        {...setting}
        path={path}
        value={value}
        isRequired={isSet}
        onChange={(all) => onChange(all ?? null)}
      />
      {/* Without required fields, it is removed by emptying it. */}
      {isSet && setting.schema.required && (
        <div class="row">
          {children}
          <Button look="danger" onClick={() => onChange(null)}>
            Remove {label}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

/** @param isRequired whether the object must have its required fields */
function FieldInputs({ path, schema, value, isRequired, onChange }: Setting) {
  const fields = (value ?? {}) as Fields;
  const properties = Object.entries(schema.properties!);
  const change = (name: string, changed: unknown): void => {
    const all = Object.entries({ ...fields, [name]: changed }).filter(([, each]) => (each ?? '') !== '');
    onChange(all.length === 0 ? undefined : Object.fromEntries(all));
  };
  return (
    <div class={properties.every(([, field]) => formOf(field) === 'number') ? 'columns' : 'stack'}>
      {properties.map(([name, field]) => (
        <Setting
          key={name}
          path={`${path}.${name}`}
          schema={field}
          value={fields[name]}
          isRequired={isRequired && schema.required?.includes(name)}
          onChange={(changed) => change(name, changed)}
        />
      ))}
    </div>
  );
}

/** A list of objects. */
function ListSetting({ path, schema, value, onChange }: Setting) {
  const items = (value ?? []) as readonly Fields[];
  const label = labelOf(path);
  const one = label.replace(/s$/, '');
  const { hint } = wordsOf(path);
  return (
    <fieldset class="stack">
      <legend>{label}</legend>
      {hint && <small>{hint}</small>}
      {items.map((item, index) => (
        // Items have no id other than their position.
        <div class="card stack" key={index} role="group" aria-label={`${one} ${index + 1}`}>
          <FieldInputs
            path={path}
            schema={schema.items!}
            value={item}
            isRequired
            onChange={(changed) => onChange(items.map((each, at) => (at === index ? (changed ?? {}) : each)))}
          />
          <div class="row ends">
            <Button look="danger" onClick={() => onChange(items.filter((_, at) => at !== index))}>
              Remove {one.toLowerCase()}
            </Button>
          </div>
        </div>
      ))}
      {items.length === 0 && <small>None.</small>}
      <div>
        <Button onClick={() => onChange([...items, {}])}>Add a {one.toLowerCase()}</Button>
      </div>
    </fieldset>
  );
}
