import { SANDBOX_ID, SANDBOX_ID_REMEDY } from '../util/ids.ts';
import { createServer, hasChanged, type LoadedDocument, loadDocument, withServer } from './contract.ts';
import styles from './style.css?inline';
import { addViewer, type RapiDocElement, selectServer } from './viewer.ts';

/** The query parameter, in the URL of the page, for the id of the selected sandbox. */
const PARAMETER = 'sandbox';

/** The parts of the page that select a sandbox. */
interface SandboxElements {
  readonly form: HTMLFormElement;
  readonly input: HTMLInputElement;
  readonly list: HTMLDataListElement;
}

/** Returns the id of the sandbox in the URL of the page; an empty string if there is no valid id. */
function getSandboxId(): string {
  const id = new URLSearchParams(location.search).get(PARAMETER) ?? '';
  return SANDBOX_ID.test(id) ? id : '';
}

/**
 * Shows the input for the sandbox id.
 * When the user enters a valid id, stores it in the URL of the page and calls `select`.
 * The id of the default sandbox is empty.
 */
function addSandboxInput({ form, input, list }: SandboxElements, select: (id: string) => void): void {
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
function keepSandboxInLinks(id: string): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('nav a')) {
    const url = new URL(link.href);
    const query = id === '' ? '' : `?${new URLSearchParams({ [PARAMETER]: id })}`;
    // The console reads the sandbox from the hash of its URL.
    if (url.pathname.startsWith('/_console')) url.hash = query === '' ? '' : `#/requests${query}`;
    else url.search = query;
    link.href = url.href;
  }
}

/**
 * Fills the list of suggestions with the sandboxes of the server.
 * The list stays empty if the control API can't be used.
 */
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

/** The interval at which the page checks whether the document has changed, in ms. */
const POLL_INTERVAL_MS = 2_000;

const isControl = location.pathname.replace(/\/$/, '').endsWith('/control');
const path = isControl ? '/_control/openapi.json' : '/_docs/openapi.json';
const getHeaders = () => (isControl ? getTokenHeaders() : {});

/** Returns an element of index.html. */
function find<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

function setText(id: string, text: string): void {
  find(id).textContent = text;
}

/** Loads the document. Asks the user for the token if the server requires a token. */
async function loadWithToken(): Promise<LoadedDocument> {
  for (;;) {
    const loaded = await loadDocument(path, getHeaders());
    if (loaded) return loaded;
    await askForToken(find('token'), find('token-text'));
  }
}

/** Shows a document in the viewer. */
async function show(viewer: RapiDocElement, { document: contract }: LoadedDocument): Promise<void> {
  document.title = `${contract.info?.title ?? 'API'} - API reference`;
  await viewer.loadSpec(withServer(contract, createServer(isControl ? '' : getSandboxId())));
}

/** Loads and shows the document again whenever it changes. Shows a message while the server can't be reached. */
async function follow(viewer: RapiDocElement, firstTag: string): Promise<never> {
  let tag = firstTag;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    if (document.visibilityState === 'hidden') continue;
    try {
      if (await hasChanged(path, tag, getHeaders())) {
        const loaded = await loadWithToken();
        await show(viewer, loaded);
        tag = loaded.tag;
      }
      setText('connection', '');
    } catch {
      setText('connection', 'Connection lost, reconnecting');
    }
  }
}

/** Adds the token to a request that the user sends with "Try". */
function addToken({ detail }: CustomEvent<{ readonly request: { readonly headers: Headers } }>): void {
  for (const [name, value] of Object.entries(getTokenHeaders())) detail.request.headers.set(name, value);
}

/** Creates a style sheet. A style sheet from a file would need a permission of the Content-Security-Policy. */
function createStyleSheet(text: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
}

/** Loads the document, shows it, and shows it again whenever it changes. */
async function start(): Promise<void> {
  const loaded = await loadWithToken();
  find('notice').hidden = true;
  const viewer = await addViewer();
  if (isControl) viewer.addEventListener('before-try', (event) => addToken(event as Parameters<typeof addToken>[0]));
  else {
    addSandboxInput({ form: find('sandbox'), input: find('sandbox-id'), list: find('sandboxes') }, (id) =>
      selectServer(viewer, createServer(id)),
    );
  }
  await show(viewer, loaded);
  await follow(viewer, loaded.tag);
}

document.adoptedStyleSheets = [createStyleSheet(styles)];
find(isControl ? 'to-control' : 'to-contract').setAttribute('aria-current', 'page');
keepSandboxInLinks(getSandboxId());
start().catch((error) => setText('message', error instanceof Error ? error.message : String(error)));

/** The key of the token in the session storage of the browser tab. The console uses the same key. */
const TOKEN_KEY = 'storefront-control-token';

/** Returns the headers that requests to the control API need. */
function getTokenHeaders(): Readonly<Record<string, string>> {
  const token = sessionStorage.getItem(TOKEN_KEY);
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}

/** Shows the form for the token, and waits until the user enters a token. Stores the token for this browser tab. */
function askForToken(form: HTMLFormElement, input: HTMLInputElement): Promise<void> {
  form.hidden = false;
  input.focus();
  return new Promise((resolve) => {
    form.onsubmit = (event) => {
      event.preventDefault();
      sessionStorage.setItem(TOKEN_KEY, input.value);
      form.hidden = true;
      resolve();
    };
  });
}
