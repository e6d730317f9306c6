import type { ComponentChildren } from 'preact';

/** A section in the details of a request. */
export function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}
