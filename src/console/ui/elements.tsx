import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { findPathEnd, PATH_END } from '../model/format.ts';
import { useConsole } from './hooks.ts';

/** The properties of a button that runs an action. */
interface ActionProps {
  readonly action: () => Promise<unknown>;
  /** The message that is shown after the action has succeeded. Absent if the page shows the result in another way. */
  readonly done?: string;
  readonly class?: string;
  readonly label?: string;
  readonly isDisabled?: boolean;
  readonly children: ComponentChildren;
}

/**
 * Returns `run` and `isRunning`.
 * `run` runs an action and then shows the message `done` or the error.
 * `isRunning` is true while the action runs.
 */
export function useAction(action: () => Promise<unknown>, done?: string) {
  const { notices } = useConsole();
  const [isRunning, setRunning] = useState(false);
  const run = async () => {
    if (isRunning) return;
    setRunning(true);
    try {
      await action();
      if (done !== undefined) notices.show(done);
    } catch (error) {
      notices.showError(error);
    } finally {
      setRunning(false);
    }
  };
  return { run, isRunning };
}

/**
 * A button that runs an action, and shows the message `done` or the error.
 * While the action runs, the button is not disabled, because a disabled button loses the focus.
 */
export function ActionButton({ action, done, class: className, label, isDisabled = false, children }: ActionProps) {
  const { run, isRunning } = useAction(action, done);
  return (
    <button
      type="button"
      class={className}
      aria-label={label}
      aria-busy={isRunning}
      disabled={isDisabled}
      onClick={run}
    >
      {children}
    </button>
  );
}

/** A button that runs an action only after a second click, as confirmation. */
export function ConfirmButton({ action, done, class: className = '', label, isDisabled, children }: ActionProps) {
  const [isAsking, setAsking] = useState(false);
  const { run, isRunning } = useAction(action, done);
  const onClick = () => {
    setAsking(!isAsking);
    if (isAsking) run();
  };
  return (
    <button
      type="button"
      class={isAsking ? `${className} danger` : className}
      aria-label={label === undefined ? undefined : `${isAsking ? 'Confirm: ' : ''}${label}`}
      aria-busy={isRunning}
      disabled={isDisabled}
      onClick={onClick}
      onBlur={() => setAsking(false)}
    >
      {children}
      {isAsking && '?'}
    </button>
  );
}

/** A button that copies text to the clipboard. `name`: the format of the text, such as `curl`. */
export function CopyButton(props: { readonly name: string; readonly getText: () => string | Promise<string> }) {
  const { name, getText } = props;
  const copy = async () => {
    await copyText(await getText()).catch(() => {
      throw new Error('The browser does not allow the page to use the clipboard.');
    });
  };
  return (
    <ActionButton action={copy} done={`Copied: ${name}`} label={`Copy as ${name}`}>
      {name}
    </ActionButton>
  );
}

/**
 * Copies text to the clipboard.
 * The clipboard API needs HTTPS or localhost.
 * Without this API, the text is copied from a temporary text area.
 */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

interface FormProps {
  readonly action: () => Promise<unknown>;
  /** The message that is shown after the action has succeeded. */
  readonly done: string;
  readonly children: ComponentChildren;
}

/** A form in one row. The form runs an action when it is submitted, and shows the message `done` or the error. */
export function ActionForm({ action, done, children }: FormProps) {
  const { run } = useAction(action, done);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <form class="row" onSubmit={submit}>
      {children}
    </form>
  );
}

/** A form element with a label. The form element is the child of this component. */
export function Field({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the form element is in the children
    <label class="field grow">
      <span>{name}</span>
      {children}
    </label>
  );
}

/** A path in one line. If it is too long, its middle is hidden, because its end says most. */
export function Path({ path }: { readonly path: string }) {
  const end = path.length <= PATH_END ? 0 : findPathEnd(path);
  return (
    <span class="path">
      <span class="path-start">{path.slice(0, end)}</span>
      <span class="path-end">{path.slice(end)}</span>
    </span>
  );
}

/** The method and the path of an operation. */
export function OperationName({ method, path }: { readonly method: string; readonly path: string }) {
  return (
    <span class="operation-name">
      <span class="method">{method}</span>
      <code title={path}>
        <Path path={path} />
      </code>
    </span>
  );
}

/** An HTTP status in the color of its class, such as 4xx. */
export function Status({
  status,
  isWaiting = false,
}: {
  readonly status: number | undefined;
  readonly isWaiting?: boolean;
}) {
  if (isWaiting) return <span class="status status-none">waits</span>;
  if (status === undefined) return <span class="status status-none">none</span>;
  return <span class={`status status-${Math.floor(status / 100)}`}>{status}</span>;
}

/** A section in the details of a request. */
export function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

interface CardProps {
  readonly title: string;
  /** The purpose of the card, in one sentence. */
  readonly text: string;
  readonly error?: string | undefined;
  /**
   * Whether the card is loading its data for the first time.
   * The control view stays hidden until all cards have data, so that nothing moves.
   */
  readonly isLoading?: boolean;
  readonly children: ComponentChildren;
}

/** A section of the control view, such as the clock or the snapshots. */
export function Card({ title, text, error, isLoading = false, children }: CardProps) {
  const id = `card-${title.toLowerCase().replaceAll(' ', '-')}`;
  return (
    <section class="card" aria-labelledby={id} aria-busy={isLoading}>
      <h2 id={id}>{title}</h2>
      <p class="muted card-text">{text}</p>
      {error !== undefined && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {children}
    </section>
  );
}
