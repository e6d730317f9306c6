import { SANDBOX_ID, SANDBOX_ID_REMEDY } from '../util/sandbox-id.ts';
import { getTokenHeaders } from './token.ts';

/** The query parameter, in the URL of the page, for the id of the selected sandbox. */
const PARAMETER = 'sandbox';

/** The parts of the page that select a sandbox. */
interface SandboxElements {
  readonly form: HTMLFormElement;
  readonly input: HTMLInputElement;
  readonly list: HTMLDataListElement;
}

/** Returns the id of the sandbox in the URL of the page; an empty string if there is no valid id. */
export function getSandboxId(): string {
  const id = new URLSearchParams(location.search).get(PARAMETER) ?? '';
  return SANDBOX_ID.test(id) ? id : '';
}

/**
 * Shows the input for the sandbox id. When the user enters a valid id, stores it in the URL of the page and calls `select`. The id of the default sandbox is
 * empty.
 */
export function addSandboxInput({ form, input, list }: SandboxElements, select: (id: string) => void): void {
  form.hidden = false;
  input.value = getSandboxId();
  input.addEventListener('focus', () => void listSandboxes(list));
  input.addEventListener('change', () => {
    const id = input.value.trim();
    const isValid = id === '' || SANDBOX_ID.test(id);
    input.setCustomValidity(isValid ? '' : SANDBOX_ID_REMEDY);
    if (!input.reportValidity()) return;
    const url = new URL(location.href);
    if (id === '') url.searchParams.delete(PARAMETER);
    else url.searchParams.set(PARAMETER, id);
    history.replaceState(null, '', url);
    keepSandboxInLinks(id);
    select(id);
  });
  form.addEventListener('submit', (event) => event.preventDefault());
}

/** Adds the id of a sandbox to the links of the navigation, so that the other pages select the same sandbox. */
export function keepSandboxInLinks(id: string): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('nav a')) {
    const url = new URL(link.href);
    const query = id === '' ? '' : `?${new URLSearchParams({ [PARAMETER]: id })}`;
    // The console reads the sandbox from the hash of its URL.
    if (url.pathname.startsWith('/_console')) url.hash = query === '' ? '' : `#/requests${query}`;
    else url.search = query;
    link.href = url.href;
  }
}

/** Fills the list of suggestions with the sandboxes of the server. The list stays empty if the control API can't be used. */
async function listSandboxes(list: HTMLDataListElement): Promise<void> {
  const response = await fetch('/_control/sandboxes', { headers: getTokenHeaders() }).catch(() => undefined);
  if (!response?.ok) return;
  const sandboxes: readonly { readonly id: string }[] = await response.json();
  list.replaceChildren(
    ...sandboxes.map(({ id }) => {
      const option = document.createElement('option');
      option.value = id;
      return option;
    }),
  );
}
