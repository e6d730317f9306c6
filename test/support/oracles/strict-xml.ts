/** An element of an XML document. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  /** The text in this element, without the text in its child elements. */
  readonly text: string;
}

/** Matches a start tag, an end tag or text (XML 1.0, sections 2.4 and 3.1). Does not match comments, CDATA sections and processing instructions. */
const TOKENS = /<([A-Za-z_][\w.-]*)((?:\s+[A-Za-z_][\w.-]*="[^"<]*")*)\s*(\/?)>|<\/([A-Za-z_][\w.-]*)\s*>|([^<]+)/y;

/** Characters that an XML 1.0 document must not contain (section 2.2), not even as a character reference. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const NO_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/u;

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Parses an XML document and returns its root element. Throws an error if the document is not well-formed, or contains anything but elements, attributes and
 * text.
 */
export function readXml(document: string): Element {
  const unlawful = NO_CHARACTER.exec(document);
  if (unlawful) throw new Error(`XML has no character ${unlawful[0].charCodeAt(0).toString(16)}`);
  const text = document.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>/, '').trim();
  const root = { name: '', attributes: {}, children: [] as Element[], text: '' };
  const open = [root];
  TOKENS.lastIndex = 0;
  while (TOKENS.lastIndex < text.length) {
    const at = TOKENS.lastIndex;
    const [token, name, attributes = '', isEmpty, end, characters] = TOKENS.exec(text) ?? [];
    const holder = open.at(-1);
    if (token === undefined || !holder) throw new Error(`this is no XML: ${text.slice(at, at + 80)}`);
    if (name !== undefined) {
      const element = { name, attributes: attributesIn(attributes), children: [], text: '' };
      holder.children.push(element);
      if (!isEmpty) open.push(element);
    } else if (end === undefined) holder.text += resolved(characters ?? '');
    else if (open.length < 2 || open.pop()?.name !== end) throw new Error(`</${end}> ends another element`);
  }
  const [only, ...others] = root.children;
  if (!only || others.length > 0 || open.length > 1 || root.text.trim() !== '') throw new Error('there is no one root');
  return only;
}

/** Returns all descendants of an element that have this name. */
export function getElements(element: Element, name: string): readonly Element[] {
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...getElements(child, name)]);
}

function attributesIn(text: string): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(/([\w.-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, resolved(value)]);
  const attributes = Object.fromEntries(pairs);
  if (Object.keys(attributes).length < pairs.length) throw new Error(`an attribute stands twice:${text}`);
  return attributes;
}

function resolved(text: string): string {
  if (text.includes(']]>')) throw new Error(']]> stands in characters');
  return text.replaceAll(/&(?:([a-z]+);)?/g, (_, name: string) => {
    const character = ENTITIES[name];
    if (character === undefined) throw new Error(`& begins no entity: ${text.slice(0, 80)}`);
    return character;
  });
}
