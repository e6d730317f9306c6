import type { Input } from '../../application.ts';
import type { Contract } from '../../openapi/contract.ts';
import { isNode } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import type { Entry } from '../../store/state.ts';
import { normalizeName } from '../../util/names.ts';
import { isSecretName } from '../../util/redact-secrets.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { getOwn } from '../entries/entry-values.ts';

/** Matches names of properties that say whether a request succeeded, and not what it was about. */
const OUTCOME =
  /^(?:is)?(?:success(?:ful)?|ok|messages?|msg|status|status(?:code|msg)|code|errors?|warnings?|timestamp)$/;

/** What a response can repeat: the parameters of a request, and for a mocked operation the properties of its body. */
type Sent = Pick<Input, 'path' | 'query'> & { readonly body?: unknown };

/**
 * Returns the properties of a response that repeat what the request has under the same name, such as `query` and
 * `type` of a search. `queryIsbn` repeats the parameter `isbn`.
 * Secrets, such as passwords and tokens, are not repeated.
 * `schema`: the JSON Pointer of the schema of the object with the properties.
 */
export function getEchoes(
  { reader, contract }: { readonly reader: SchemaReader; readonly contract: Contract },
  { parameters, pathNames }: Route,
  schema: string,
  { path, query, body }: Sent,
): Entry {
  const sent = new Map<string, unknown>();
  for (const [name, value] of Object.entries(isNode(body) ? body : {})) sent.set(normalizeName(name), value);
  const inQuery = parameters
    .filter((one) => one.in === 'query')
    .map(({ name }) => [name, getOwn(query, name)] as const);
  for (const [name, value] of [...inQuery, ...pathNames.map((name) => [name, getOwn(path, name)] as const)])
    if (value !== undefined) sent.set(normalizeName(name), value);
  const echoes = [...reader.getProperties(schema)].flatMap(([name, pointer]) => {
    const own = normalizeName(name);
    const value = sent.get(own) ?? sent.get(own.replace(/^(?:query|search|searched|requested)(?=.)/, ''));
    if (value === undefined || OUTCOME.test(own) || isIdName(own) || isSecretName(name)) return [];
    const found = listForms(value).find((form) => contract.isValid(pointer, form));
    return found === undefined ? [] : [[name, found] as const];
  });
  return Object.fromEntries(echoes);
}

/** Returns whether a normalized name is that of an id, which the response shows in another way. */
function isIdName(name: string): boolean {
  return /id$/.test(name);
}

/** Returns the forms of a value in a request that a response can have: a number for the text of a parameter. */
function listForms(value: unknown): readonly unknown[] {
  if (typeof value !== 'string') return [value];
  return [value, ...(value.trim() === '' ? [] : [Number(value)]), value === 'true'];
}
