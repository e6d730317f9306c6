import type { ComponentChildren } from 'preact';
import { useAction } from './buttons.tsx';

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
