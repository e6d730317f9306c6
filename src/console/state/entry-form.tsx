import { useState } from 'preact/hooks';
import { type EntryField, getFields, parseField, toFieldText } from '../model/entry-fields.ts';
import type { EntryError, EntryFormProps } from './state-types.ts';

/** A form that edits an entry, with a field for each property of the schema. */
export function EntryForm({ id, collection, entry, errors, draft, onSave }: EntryFormProps) {
  const fields = getFields(collection.schema, entry);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [syntaxErrors, setSyntaxErrors] = useState<readonly EntryError[]>([]);
  draft.current = () => {
    const parsed = parseFields(fields, texts, entry);
    return parsed.errors.length > 0 ? undefined : parsed.entry;
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const parsed = parseFields(fields, texts, entry);
    setSyntaxErrors(parsed.errors);
    if (parsed.errors.length === 0) onSave(parsed.entry);
  };
  const all = syntaxErrors.length > 0 ? syntaxErrors : errors;
  const names = fields.map(({ name }) => name);
  return (
    <form id={id} class="entry-form" onSubmit={submit} noValidate>
      {all
        .filter(({ path: [name] }) => name === undefined || !names.includes(name))
        .map(({ path, message }) => (
          <p key={path.join('.')} class="error" role="alert">
            {[...path, message].join(' ')}
          </p>
        ))}
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          text={texts[field.name] ?? toFieldText(entry[field.name], field.kind)}
          errors={all.filter(({ path: [name] }) => name === field.name)}
          onInput={(text) => setTexts((old) => ({ ...old, [field.name]: text }))}
        />
      ))}
    </form>
  );
}

interface FieldProps {
  readonly field: EntryField;
  readonly text: string;
  readonly errors: readonly EntryError[];
  readonly onInput: (text: string) => void;
}

function Field({ field, text, errors, onInput }: FieldProps) {
  const { name, isRequired, hint } = field;
  const id = `field-${name}`;
  const hasErrors = errors.length > 0;
  const described = [...(hint === '' ? [] : [`${id}-hint`]), ...(hasErrors ? [`${id}-error`] : [])].join(' ');
  return (
    <div class={hasErrors ? 'field has-error' : 'field'}>
      <label for={id}>
        {name} {isRequired && <span class="muted">required</span>}
      </label>
      <Input field={field} text={text} onInput={onInput} id={id} isInvalid={hasErrors} described={described} />
      {hint !== '' && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {hasErrors && (
        <div id={`${id}-error`} class="error" role="alert">
          {errors.map(({ path, message }) => (
            <p key={path.join('.')}>{[...path.slice(1), message].join(' ')}</p>
          ))}
        </div>
      )}
    </div>
  );
}

/** The input element of a field. */
function Input(props: {
  readonly field: EntryField;
  readonly text: string;
  readonly id: string;
  readonly isInvalid: boolean;
  readonly described: string;
  readonly onInput: (text: string) => void;
}) {
  const { field, text, id, isInvalid, described, onInput } = props;
  const common = {
    id,
    'aria-invalid': isInvalid,
    'aria-describedby': described === '' ? undefined : described,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => onInput(event.currentTarget.value),
  };
  if (field.kind === 'json')
    return (
      <textarea {...common} class="code-input" rows={Math.max(2, Math.min(12, text.split('\n').length))} value={text} />
    );
  if (field.kind === 'text' && text.length > 60) return <textarea {...common} rows={3} value={text} />;
  if (field.kind === 'text') return <input {...common} type="text" value={text} />;
  if (field.kind === 'number') return <input {...common} type="text" inputMode="decimal" value={text} />;
  const choices = field.kind === 'boolean' ? ['true', 'false'] : field.choices;
  return (
    <select {...common} value={text}>
      {['', ...choices].map((choice) => (
        <option key={choice} value={choice}>
          {choice === '' ? '–' : choice}
        </option>
      ))}
    </select>
  );
}

/** Converts the texts of the form fields to an entry. Also returns an error for each text that can't be parsed. */
function parseFields(
  fields: readonly EntryField[],
  texts: Readonly<Record<string, string>>,
  old: Readonly<Record<string, unknown>>,
) {
  const entry: Record<string, unknown> = {};
  const errors: EntryError[] = [];
  for (const field of fields) {
    const { name, kind } = field;
    try {
      const value = parseField(texts[name] ?? '', field, texts[name] === undefined, old[name]);
      if (value !== undefined) entry[name] = value;
    } catch {
      errors.push({ path: [name], message: kind === 'number' ? 'must be a number' : 'must be valid JSON' });
    }
  }
  return { entry, errors };
}
