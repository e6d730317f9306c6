import { useState } from 'preact/hooks';
import type { EntryFormProps } from './state-types.ts';

/** A form that edits an entry as JSON. */
export function JsonForm({ id, entry, errors, draft, onSave }: EntryFormProps) {
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
