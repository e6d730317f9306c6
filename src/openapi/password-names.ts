import { memoizeByObject } from '../util/memoize-by-object.ts';
import type { CredentialNames } from '../util/redact-secrets.ts';
import { type Document, type Node, toNode } from './document.ts';
import { ALL_PARTS, getPartItems, getPartProperties, getSchemaParts } from './schema-parts.ts';
import { mapNodes } from './walk-schemas.ts';

/**
 * Returns the names of the properties, headers and query parameters whose schemas have `format: password`, and of the
 * texts that are `writeOnly`: no response may show them.
 * Header names are in lower case.
 */
export const getPasswordNames = memoizeByObject((document: Document): CredentialNames => {
  const pointers: string[] = [];
  let hasPasswords = false;
  mapNodes(document, (node, pointer) => {
    hasPasswords ||= isSecret(node);
    pointers.push(pointer);
    return node;
  });
  const names = { headers: new Set<string>(), query: new Set<string>(), properties: new Set<string>() };
  for (const pointer of hasPasswords ? pointers : []) addNames(document, pointer, names);
  return { headers: [...names.headers], query: [...names.query], properties: [...names.properties] };
});

/** Adds the names of the passwords in the Parameter Object, or in the properties of the schema, at a JSON Pointer. */
function addNames(document: Document, pointer: string, names: Readonly<Record<keyof CredentialNames, Set<string>>>) {
  const [part] = getSchemaParts(document, pointer, []);
  const { in: location, name } = toNode(part?.node);
  if (part && (location === 'query' || location === 'header') && isPassword(document, `${part.pointer}/schema`)) {
    if (location === 'header') names.headers.add(String(name).toLowerCase());
    else names.query.add(String(name));
  }
  for (const [property, schema] of getPartProperties(part ? [part] : []))
    if (isPassword(document, schema)) names.properties.add(property);
}

/** Returns whether a schema, an alternative of it, or the schema of its entries is that of a password. */
function isPassword(document: Document, schema: string): boolean {
  const parts = getSchemaParts(document, schema, ALL_PARTS);
  const items = getPartItems(parts);
  const all = items === undefined ? parts : [...parts, ...getSchemaParts(document, items, ALL_PARTS)];
  return all.some(({ node }) => isSecret(node));
}

/** Decision: a number or a choice that is `writeOnly`, such as `categoryId`, is no secret. */
function isSecret({ format, writeOnly, type, enum: choices }: Node): boolean {
  return format === 'password' || (writeOnly === true && type === 'string' && choices === undefined);
}
