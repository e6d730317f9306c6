import type { ComponentChildren } from 'preact';

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
