/** A selector for the form controls of RapiDoc that can lack a label for screen readers. */
const CONTROLS = 'select, textarea, input';

/**
 * Adds a label to each form control of RapiDoc that has no label, and makes long texts scrollable with the keyboard. Does this now and whenever RapiDoc adds
 * elements. `root`: the shadow root of RapiDoc. Shadow roots inside it are included.
 */
export function improveAccessibility(root: ShadowRoot): void {
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
