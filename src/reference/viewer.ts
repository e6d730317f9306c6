import createDOMPurify from 'dompurify';
import rapidocUrl from 'rapidoc/dist/rapidoc-min.js?url';
import type { OpenApiDocument, Server } from './contract.ts';

/** A selector for the form controls of RapiDoc that can lack a label for screen readers. */
const CONTROLS = 'select, textarea, input';

/**
 * Adds a label to each form control of RapiDoc that has no label, and makes long texts scrollable with the keyboard.
 * Does this now and whenever RapiDoc adds elements.
 * `root`: the shadow root of RapiDoc.
 * Shadow roots inside it are included.
 */
function improveAccessibility(root: ShadowRoot): void {
  improvePart(root);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) if (node instanceof HTMLElement) improvePart(node);
    }
  }).observe(root, { childList: true, subtree: true });
}

function improvePart(part: ShadowRoot | HTMLElement): void {
  const elements = [...part.querySelectorAll<HTMLElement>('*')];
  for (const element of part instanceof HTMLElement ? [part, ...elements] : elements) {
    if (element.matches(CONTROLS)) labelControl(element);
    if (element.matches('pre')) element.tabIndex = 0;
    if (element.matches('.nav-bar')) element.ariaLabel = 'Operations';
    if (element.localName.includes('-')) void observeComponent(element);
  }
}

/** The custom elements whose shadow roots are observed. */
const observed = new WeakSet<HTMLElement>();

/** Waits until a custom element is defined, and then improves its shadow root. */
async function observeComponent(element: HTMLElement): Promise<void> {
  await customElements.whenDefined(element.localName);
  if (!element.shadowRoot || observed.has(element)) return;
  observed.add(element);
  improveAccessibility(element.shadowRoot);
}

function labelControl(control: HTMLElement): void {
  const hasName = control.ariaLabel !== null || (control as HTMLInputElement).labels?.length;
  if (!hasName) control.ariaLabel = getName(control);
}

function getName({ dataset, localName, classList, title }: HTMLElement): string {
  if (dataset.pname !== undefined) return dataset.pname;
  if (localName === 'select') return 'Example of the request body';
  return classList.contains('request-body-param-user-input') ? 'Request body' : title || 'Value';
}

/** The custom element `rapi-doc`. */
export interface RapiDocElement extends HTMLElement {
  readonly resolvedSpec?: { readonly servers: Server[] } | null;
  loadSpec(document: OpenApiDocument): Promise<void>;
  setApiServer(url: string): boolean;
}

/** The attributes of RapiDoc that are the same for the light and the dark colour scheme. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  // RapiDoc would load Open Sans from another host.
  'load-fonts': 'false',
  'regular-font': 'system-ui, sans-serif',
  'mono-font': 'ui-monospace, monospace',
  'schema-style': 'table',
  'show-header': 'false',
  'show-method-in-nav-bar': 'as-colored-text',
  'nav-item-spacing': 'compact',
  'allow-server-selection': 'false',
  'allow-spec-file-download': 'false',
  'allow-advanced-search': 'false',
  'fetch-credentials': 'same-origin',
};

const LIGHT: Readonly<Record<string, string>> = {
  theme: 'light',
  'bg-color': '#ffffff',
  'text-color': '#1c2026',
  'primary-color': '#1d4ed8',
  'nav-bg-color': '#f6f7f9',
  'nav-text-color': '#59616e',
  'nav-hover-bg-color': '#e6edfd',
  'nav-hover-text-color': '#1c2026',
  'nav-accent-color': '#1d4ed8',
};

const DARK: Readonly<Record<string, string>> = {
  theme: 'dark',
  'bg-color': '#1b1e24',
  'text-color': '#e7e9ed',
  'primary-color': '#8db4ff',
  'nav-bg-color': '#14161a',
  'nav-text-color': '#a2a9b5',
  'nav-hover-bg-color': '#22304e',
  'nav-hover-text-color': '#ffffff',
  'nav-accent-color': '#8db4ff',
};

/**
 * Adds RapiDoc to the page, and returns its element.
 * The colours follow the colour scheme of the browser.
 * On a narrow page, the list of operations at the side is hidden.
 */
export async function addViewer(): Promise<RapiDocElement> {
  Object.assign(globalThis, { sanitizeHtml });
  await import(/* @vite-ignore */ rapidocUrl);
  const viewer = document.createElement('rapi-doc') as RapiDocElement;
  setAttributes(viewer, ATTRIBUTES);
  followMedia('(prefers-color-scheme: dark)', (isDark) => setAttributes(viewer, isDark ? DARK : LIGHT));
  followMedia('(max-width: 767px)', (isNarrow) => viewer.setAttribute('render-style', isNarrow ? 'view' : 'focused'));
  document.body.append(viewer);
  const { shadowRoot } = viewer;
  if (shadowRoot) {
    shadowRoot.adoptedStyleSheets = [...shadowRoot.adoptedStyleSheets, createOwnStyles()];
    improveAccessibility(shadowRoot);
  }
  return viewer;
}

/** Selects the server to which RapiDoc sends requests. */
export function selectServer(viewer: RapiDocElement, server: Server): void {
  const { resolvedSpec } = viewer;
  if (!resolvedSpec) return;
  if (!resolvedSpec.servers.some(({ url }) => url === server.url)) resolvedSpec.servers.push({ ...server });
  viewer.setApiServer(server.url);
}

/** Returns additional styles, which can't be set with an attribute or a shadow part of RapiDoc. */
function createOwnStyles(): CSSStyleSheet {
  const styles = new CSSStyleSheet();
  // RapiDoc moves the line with the license to the left of the text.
  styles.replaceSync('#api-info { margin-left: 0 }');
  return styles;
}

/** Calls `apply` now and whenever the result of a media query changes. `matches`: whether the media query matches. */
function followMedia(query: string, apply: (matches: boolean) => void): void {
  const media = matchMedia(query);
  media.addEventListener('change', () => apply(media.matches));
  apply(media.matches);
}

function setAttributes(element: HTMLElement, attributes: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

/**
 * Elements and attributes that are allowed for HTML in general, but not in the descriptions of a document: they could
 * send data, or cover the page and look like a part of it.
 */
const FORBIDDEN = {
  FORBID_TAGS: ['style', 'form', 'input', 'button', 'select', 'textarea', 'option', 'optgroup', 'datalist', 'dialog'],
  FORBID_ATTR: ['style', 'autofocus', 'popover', 'popovertarget', 'slot', 'is'],
};

/**
 * Returns HTML without scripts, event handlers, frames, forms, styles, SVG and links that run scripts.
 * RapiDoc calls this function for each text that it shows as HTML (tools/sanitize-rapidoc.ts).
 */
function sanitizeHtml(html: string): string {
  return createDOMPurify.sanitize(html, { USE_PROFILES: { html: true }, ...FORBIDDEN });
}
