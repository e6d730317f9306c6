import { useRef } from 'preact/hooks';
import { tryOrUndefined } from '../../util/try-or-undefined.ts';
import { ActionButton, useAction } from '../ui/buttons.tsx';
import { useConsole } from '../ui/context.ts';

/** The buttons that export the state of a sandbox to a JSON file, and import it from a JSON file. */
export function StateFile({ sandbox, onChange }: { readonly sandbox: string; readonly onChange: () => Promise<void> }) {
  const { api } = useConsole();
  const input = useRef<HTMLInputElement>(null);
  const save = async () => {
    const state = await api.send('getState', { path: { id: sandbox } });
    download(`${sandbox}.json`, JSON.stringify(state, null, 2));
  };
  const load = async () => {
    const [file] = input.current?.files ?? [];
    if (file === undefined) return;
    const text = await file.text();
    if (input.current) input.current.value = '';
    const body = tryOrUndefined(() => JSON.parse(text));
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new Error(
        `${file.name} can't be imported: the file must contain a JSON object with a list for each collection.`,
      );
    await api.send('putState', { path: { id: sandbox }, body });
    await onChange();
  };
  const { run } = useAction(load, 'The state is imported');
  return (
    <>
      <ActionButton action={save}>Export</ActionButton>
      <button type="button" onClick={() => input.current?.click()}>
        Import
      </button>
      <input
        ref={input}
        class="visually-hidden"
        type="file"
        accept=".json,application/json"
        aria-label="JSON file to import"
        tabIndex={-1}
        onChange={run}
      />
    </>
  );
}

/** Lets the browser download a text as a file. */
function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The URL must be valid until the download has started.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
