import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatPointer, parsePointer } from '../../util/json-pointer.ts';
import { ApiError } from '../api/control-api.ts';
import { ConfirmButton } from '../ui/buttons.tsx';
import { useConsole } from '../ui/context.ts';
import { EntryForm } from './entry-form.tsx';
import { JsonForm } from './json-form.tsx';
import type { Collection, EditedEntry, Entry, EntryError } from './state-types.ts';

interface EditorProps {
  readonly sandbox: string;
  readonly collection: Collection;
  readonly edited: EditedEntry;
  readonly onClose: () => void;
  readonly onChange: () => Promise<void>;
}

const FORM_ID = 'entry-form';

/** The dialog that adds, edits or deletes an entry of the state. The server validates the entry against the schema of its collection. */
export function EntryEditor({ sandbox, collection, edited, onClose, onChange }: EditorProps) {
  const { api, notices } = useConsole();
  const { position, entry = {} } = edited;
  const [draft, setDraft] = useState(entry);
  const [isJson, setJson] = useState(false);
  const currentDraft = useRef<() => Entry | undefined>(() => undefined);
  const switchForm = (event: { readonly currentTarget: { readonly checked: boolean } }) => {
    setDraft(currentDraft.current() ?? draft);
    setJson(event.currentTarget.checked);
  };
  const { errors, save } = useSave(async (value) => {
    const patch = createPatch(collection.name, edited, value);
    await api.send('patchState', { path: { id: sandbox }, body: patch });
    notices.show(`The entry is ${value === undefined ? 'deleted' : position === undefined ? 'added' : 'saved'}`);
    onClose();
    await onChange();
  });
  const Form = isJson ? JsonForm : EntryForm;
  return (
    <Dialog
      title={position === undefined ? `Add to ${collection.name}` : `Edit ${edited.name} in ${collection.name}`}
      onClose={onClose}
    >
      <label class="checkbox">
        <input type="checkbox" checked={isJson} onChange={switchForm} /> Edit as JSON
      </label>
      <Form
        id={FORM_ID}
        draft={currentDraft}
        {...{ collection, errors }}
        entry={draft}
        onSave={(value) => {
          setDraft(value);
          save(value);
        }}
      />
      <EditorActions isNew={position === undefined} onClose={onClose} remove={() => save(undefined)} />
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
 * Returns `save` and `errors`. `save(entry)` saves an entry, and `save(undefined)` deletes the edited entry. `errors` has the validation errors of the last
 * attempt.
 */
function useSave(send: (value: Entry | undefined) => Promise<void>) {
  const [errors, setErrors] = useState<readonly EntryError[]>([]);
  const save = (value: Entry | undefined) => send(value).catch((error) => setErrors(toErrors(error)));
  return { errors, save };
}

/** Converts an error to the validation errors of an entry. If the error is about the whole entry, the path is empty. */
function toErrors(error: unknown): readonly EntryError[] {
  const { message, violations = [] } = error as Partial<ApiError> & Error;
  const found = violations.map(({ pointer, remedy }) => ({ path: parseEntryPath(pointer), message: remedy }));
  return error instanceof ApiError && found.length > 0 ? found : [{ path: [], message }];
}

/** Converts a JSON Pointer within the state to a path within an entry: `/notes/3/title` to `['title']`. */
function parseEntryPath(pointer: string): readonly string[] {
  return parsePointer(pointer).slice(2);
}

/** Creates a JSON Patch (RFC 6902) that adds, replaces or removes an entry. The patch fails if the entry has changed since the dialog was opened. */
function createPatch(collection: string, { position, entry }: EditedEntry, value: unknown) {
  if (position === undefined) return [{ op: 'add' as const, path: formatPointer(collection, '-'), value }];
  const path = formatPointer(collection, position);
  const test = { op: 'test' as const, path, value: entry };
  return [test, value === undefined ? { op: 'remove' as const, path } : { op: 'replace' as const, path, value }];
}
