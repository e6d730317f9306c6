import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatPointer, parsePointer } from '../../util/json-pointer.ts';
import { getFailedRequest } from '../api/control-api.ts';
import {
  type EntryField,
  getFieldLabel,
  getFields,
  getFieldValue,
  getKey,
  getRowName,
  parseField,
  setFieldValue,
  toFieldText,
} from '../model/entry-fields.ts';
import { shortenId } from '../model/format.ts';
import { ConfirmButton } from '../ui/elements.tsx';
import { useConsole, useLoaded, useObservable } from '../ui/hooks.ts';
import type { Collection, EditedEntry, Entry, EntryError, EntryFormProps } from './state-types.ts';

/** A form that edits an entry, with a field for each property of the schema. */
function EntryForm({ id, sandbox, collection, entry, isNew, errors, draft, onSave }: EntryFormProps) {
  const fields = getFields(collection, entry, isNew);
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
  const hasPath = (path: readonly string[], name: string) => path[0] === name || path.join('.') === name;
  return (
    <form id={id} class="entry-form" onSubmit={submit} noValidate>
      {all
        .filter(({ path }) => !names.some((name) => hasPath(path, name)))
        .map(({ path, message }) => (
          <p key={path.join('.')} class="error" role="alert">
            {[...path, message].join(' ')}
          </p>
        ))}
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          sandbox={sandbox}
          text={texts[field.name] ?? toFieldText(getFieldValue(entry, field.name), field.kind)}
          errors={all.filter(({ path }) => hasPath(path, field.name))}
          onInput={(text) => setTexts((old) => ({ ...old, [field.name]: text }))}
        />
      ))}
    </form>
  );
}

interface FieldProps {
  readonly field: EntryField;
  readonly sandbox: string;
  readonly text: string;
  readonly errors: readonly EntryError[];
  readonly onInput: (text: string) => void;
}

function Field({ field, sandbox, text, errors, onInput }: FieldProps) {
  const { name, isRequired, hint } = field;
  const id = `field-${name}`;
  const hasErrors = errors.length > 0;
  const described = [...(hint === '' ? [] : [`${id}-hint`]), ...(hasErrors ? [`${id}-error`] : [])].join(' ');
  return (
    <div class={hasErrors ? 'field has-error' : 'field'}>
      <label for={id}>
        {getFieldLabel(name)} {isRequired && <span class="muted">required</span>}
      </label>
      <Input {...{ field, sandbox, text, onInput, id, described }} isInvalid={hasErrors} />
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
  readonly sandbox: string;
  readonly text: string;
  readonly id: string;
  readonly isInvalid: boolean;
  readonly described: string;
  readonly onInput: (text: string) => void;
}) {
  const { field, sandbox, text, id, isInvalid, described, onInput } = props;
  const common = {
    id,
    'aria-invalid': isInvalid,
    'aria-describedby': described === '' ? undefined : described,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => onInput(event.currentTarget.value),
  };
  if (field.collection !== undefined)
    return (
      <ReferenceInput
        {...{ sandbox, common, text, onInput }}
        collection={field.collection}
        isList={field.kind === 'ids'}
      />
    );
  if (field.kind === 'time') return <input {...common} type="time" step="1" value={text} />;
  if (field.kind === 'date') return <input {...common} type="date" value={text} />;
  if (field.kind === 'date-time') return <input {...common} type="datetime-local" step="1" value={text} />;
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

/** The maximum number of entries from which the user selects one by its name. */
const MAX_OPTIONS = 200;

/**
 * The input for the id of another entry, or for a list of ids: the names of the entries.
 * For a large collection, the user enters the id, or the list as JSON.
 */
function ReferenceInput(props: {
  readonly sandbox: string;
  readonly collection: string;
  readonly isList: boolean;
  readonly text: string;
  readonly common: Readonly<Record<string, unknown>>;
  readonly onInput: (text: string) => void;
}) {
  const { sandbox, collection, isList, text, common, onInput } = props;
  const { api, server } = useConsole();
  const key = useObservable(server)?.collections.find(({ name }) => name === collection)?.key;
  const { data, isLoading } = useLoaded(`options ${sandbox} ${collection}`, () =>
    api.send('listEntries', { path: { id: sandbox, collection }, query: { limit: MAX_OPTIONS } }),
  );
  // No element that takes input is replaced while the user types in it.
  if (isLoading)
    return (
      <select {...common} disabled>
        <option>Loading …</option>
      </select>
    );
  if (data === undefined || key === undefined || data.total > MAX_OPTIONS)
    return <input {...common} type="text" value={text} />;
  const named = data.entries.map((row) => ({
    key: getKey(row.entry, key),
    id: String(getKey(row.entry, key) ?? ''),
    name: getRowName({ ...row, columns: data.columns }, key),
  }));
  if (isList) {
    const selected = parseList(text);
    if (!selected) return <textarea {...common} class="code-input" rows={2} value={text} />;
    // Ids of entries that do not exist stay in the list until the user deselects them.
    const unknown = selected.filter((id) => !named.some((one) => one.id === String(id)));
    const options = [...named, ...unknown.map((id) => ({ key: id, id: String(id), name: String(id) }))];
    const select = ({ currentTarget }: { readonly currentTarget: HTMLSelectElement }) => {
      const ids = new Set([...currentTarget.selectedOptions].map(({ value }) => value));
      const kept = selected.filter((id) => ids.has(String(id)));
      const added = options.filter(({ id }) => ids.has(id) && !kept.some((one) => String(one) === id));
      onInput(JSON.stringify([...kept, ...added.map((option) => option.key)]));
    };
    return (
      <select {...common} multiple size={Math.max(2, Math.min(8, options.length))} onInput={select}>
        {options.map(({ id, name }) => (
          <option key={id} value={id} selected={selected.some((one) => String(one) === id)}>
            {name === id ? id : `${name} (${shortenId(id)})`}
          </option>
        ))}
      </select>
    );
  }
  const isKnown = text === '' || named.some(({ id }) => id === text);
  return (
    <select {...common} value={text}>
      <option value="">–</option>
      {!isKnown && <option value={text}>{text}</option>}
      {named.map(({ id, name }) => (
        <option key={id} value={id}>
          {name === id ? id : `${name} (${shortenId(id)})`}
        </option>
      ))}
    </select>
  );
}

/** Returns the ids in the text of a field: none for an empty text, undefined if it is no JSON list. */
function parseList(text: string): readonly unknown[] | undefined {
  try {
    const list: unknown = text.trim() === '' ? [] : JSON.parse(text);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}

/** Converts the texts of the form fields to an entry. Also returns an error for each text that can't be parsed. */
function parseFields(
  fields: readonly EntryField[],
  texts: Readonly<Record<string, string>>,
  old: Readonly<Record<string, unknown>>,
) {
  // A form for a new entry lacks the properties that the server sets, which the user can enter as JSON.
  const names = fields.map(({ name }) => name);
  let entry: Entry = Object.fromEntries(Object.entries(old).filter(([name]) => !names.includes(name)));
  const errors: EntryError[] = [];
  for (const field of fields) {
    const { name, kind } = field;
    try {
      const value = parseField(texts[name] ?? '', field, texts[name] === undefined, getFieldValue(old, name));
      if (value !== undefined) entry = setFieldValue(entry, name, value);
    } catch {
      errors.push({ path: [name], message: kind === 'number' ? 'must be a number' : 'must be valid JSON' });
    }
  }
  return { entry, errors };
}

/** A form that edits an entry as JSON. */
function JsonForm({ id, entry, errors, draft, onSave }: EntryFormProps) {
  const [text, setText] = useState(() => JSON.stringify(entry, null, 2));
  const [syntaxError, setSyntaxError] = useState<string>();
  draft.current = () => parseEntry(text).entry;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const parsed = parseEntry(text);
    setSyntaxError(parsed.error);
    if (parsed.entry !== undefined) onSave(parsed.entry);
  };
  const messages =
    syntaxError === undefined ? errors.map(({ path, message }) => [path.join('.'), message].join(' ')) : [syntaxError];
  return (
    <form id={id} class="entry-form" onSubmit={submit}>
      <div class={messages.length > 0 ? 'field has-error' : 'field'}>
        <label for="entry-json">JSON</label>
        <textarea
          id="entry-json"
          class="code-input"
          rows={20}
          spellcheck={false}
          value={text}
          aria-invalid={messages.length > 0}
          aria-describedby={messages.length > 0 ? 'entry-json-error' : undefined}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {messages.length > 0 && (
          <div id="entry-json-error" class="error" role="alert">
            {messages.map((message) => (
              <p key={message}>{message}</p>
            ))}
          </div>
        )}
      </div>
    </form>
  );
}

/** Parses an entry. Returns an error message if the text is not a JSON object. */
function parseEntry(text: string): { readonly entry?: Readonly<Record<string, unknown>>; readonly error?: string } {
  try {
    const entry: unknown = JSON.parse(text);
    if (typeof entry === 'object' && entry !== null && !Array.isArray(entry)) return { entry: { ...entry } };
    return { error: 'The entry must be a JSON object.' };
  } catch (error) {
    return { error: `The text is not valid JSON: ${(error as Error).message}` };
  }
}

interface EditorProps {
  readonly sandbox: string;
  readonly collection: Collection;
  readonly edited: EditedEntry;
  readonly onClose: () => void;
  readonly onChange: () => Promise<void>;
}

const FORM_ID = 'entry-form';

/**
 * The dialog that adds, edits or deletes an entry of the state.
 * The server validates the entry against the schema of its collection.
 */
export function EntryEditor({ sandbox, collection, edited, onClose, onChange }: EditorProps) {
  const { api, notices } = useConsole();
  const { position } = edited;
  const isNew = position === undefined;
  const { entry = collection.form.defaults } = edited;
  const [draft, setDraft] = useState(entry);
  const [isJson, setJson] = useState(false);
  const currentDraft = useRef<() => Entry | undefined>(() => undefined);
  const switchForm = (event: { readonly currentTarget: { readonly checked: boolean } }) => {
    setDraft(currentDraft.current() ?? draft);
    setJson(event.currentTarget.checked);
  };
  const { errors, save } = useSave(async (value) => {
    if (position === undefined)
      await api.send('addEntry', { path: { id: sandbox, collection: collection.name }, body: { ...value } });
    else await api.send('patchState', { path: { id: sandbox }, body: createPatch(collection.name, edited, value) });
    notices.show(`The entry is ${value === undefined ? 'deleted' : isNew ? 'added' : 'saved'}`);
    onClose();
    await onChange();
  });
  const Form = isJson ? JsonForm : EntryForm;
  return (
    <Dialog title={isNew ? `Add to ${collection.name}` : `Edit ${edited.name} in ${collection.name}`} onClose={onClose}>
      <label class="checkbox">
        <input type="checkbox" checked={isJson} onChange={switchForm} /> Edit as JSON
      </label>
      <Form
        id={FORM_ID}
        draft={currentDraft}
        {...{ sandbox, collection, isNew, errors }}
        entry={draft}
        onSave={(value) => {
          setDraft(value);
          save(value);
        }}
      />
      <EditorActions isNew={isNew} onClose={onClose} remove={() => save(undefined)} />
    </Dialog>
  );
}

function EditorActions(props: {
  readonly isNew: boolean;
  readonly onClose: () => void;
  readonly remove: () => Promise<void>;
}) {
  const { isNew, onClose, remove } = props;
  return (
    <div class="dialog-actions">
      <button type="submit" form={FORM_ID} class="primary">
        {isNew ? 'Add' : 'Save'}
      </button>
      <button type="button" onClick={onClose}>
        Cancel
      </button>
      {!isNew && (
        <ConfirmButton class="align-end" action={remove} label="Delete the entry">
          Delete
        </ConfirmButton>
      )}
    </div>
  );
}

/** A modal dialog at the side of the page. */
function Dialog(props: { readonly title: string; readonly onClose: () => void; readonly children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} class="editor" aria-labelledby="dialog-title" onClose={props.onClose}>
      <header class="dialog-header">
        <h2 id="dialog-title">{props.title}</h2>
        <button type="button" class="quiet close" aria-label="Close" onClick={props.onClose}>
          ×
        </button>
      </header>
      {props.children}
    </dialog>
  );
}

/**
 * Returns `save` and `errors`.
 * `save(entry)` saves an entry, and `save(undefined)` deletes the edited entry.
 * `errors` has the validation errors of the last attempt.
 */
function useSave(send: (value: Entry | undefined) => Promise<void>) {
  const [errors, setErrors] = useState<readonly EntryError[]>([]);
  const save = (value: Entry | undefined) => send(value).catch((error) => setErrors(toErrors(error)));
  return { errors, save };
}

/** Converts an error to the validation errors of an entry. If the error is about the whole entry, the path is empty. */
function toErrors(error: unknown): readonly EntryError[] {
  const found = getFailedRequest(error).violations.map(({ pointer, remedy }) => ({
    path: parseEntryPath(pointer),
    message: remedy,
  }));
  return found.length > 0 ? found : [{ path: [], message: (error as Error).message }];
}

/** Converts a JSON Pointer within the state to a path within an entry: `/notes/3/title` to `['title']`. */
function parseEntryPath(pointer: string): readonly string[] {
  return parsePointer(pointer).slice(2);
}

/**
 * Creates a JSON Patch (RFC 6902) that replaces or removes an entry.
 * The patch fails if the entry has changed since the dialog was opened.
 */
function createPatch(collection: string, { position = 0, entry }: EditedEntry, value: unknown) {
  const path = formatPointer(collection, position);
  const test = { op: 'test' as const, path, value: entry };
  return [test, value === undefined ? { op: 'remove' as const, path } : { op: 'replace' as const, path, value }];
}
