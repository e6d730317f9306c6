import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatJson } from '../model/format.ts';
import { formatPartialJson } from '../model/format-partial-json.ts';

/** The maximum length of a text with syntax colors, in characters. Colors in a longer text would delay the page. */
const MAX_COLORED_LENGTH = 20_000;

/** Shows a JSON value on several lines with syntax colors. Shows any other text unchanged. */
export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }) {
  const content = useMemo(() => {
    // The journal truncates long bodies, and a truncated body is not valid JSON.
    const partial = typeof value === 'string' ? formatPartialJson(value) : undefined;
    const text = partial ?? formatJson(value);
    const isJson = partial !== undefined || typeof value !== 'string';
    return isJson && text.length <= MAX_COLORED_LENGTH ? colorJson(text) : text;
  }, [value]);
  return (
    <pre class="code" tabIndex={0} role="group" aria-label={label}>
      {content}
    </pre>
  );
}

/**
 * Splits a JSON text into parts for syntax colors.
 * Property names, strings and other values have different CSS classes.
 */
function colorJson(text: string): readonly (VNode | string)[] {
  const token = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;
  const parts: (VNode | string)[] = [];
  let from = 0;
  for (const found of text.matchAll(token)) {
    const [part, colon] = found;
    parts.push(text.slice(from, found.index));
    const name = part.startsWith('"') ? (colon === undefined ? 'json-string' : 'json-name') : 'json-value';
    parts.push(
      <span key={found.index} class={name}>
        {part}
      </span>,
    );
    from = found.index + part.length;
  }
  return [...parts, text.slice(from)];
}
