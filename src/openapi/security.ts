import type { Issue } from '../util/issue.ts';
import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { type CredentialNames, isSecretName } from '../util/redact-secrets.ts';
import {
  type Document,
  getNode,
  getTarget,
  isNode,
  type Node,
  parseReference,
  resolvePointer,
  toNode,
} from './document.ts';
import { precedesLogin, registersUsers } from './login-paths.ts';
import { listOperations } from './path-items.ts';
import { getMedia } from './responses.ts';
import { ALL_PARTS, getPartItems, getPartProperties, getSchemaParts } from './schema-parts.ts';
import { hasNode, mapNodes } from './walk-schemas.ts';

/** The cookie with the token of a login if the response has none, and no security scheme names a cookie. */
export const SESSION_COOKIE = 'session';

/** A credential that a request must have. */
export interface Credential {
  /** The name of the security scheme in the document. */
  readonly schemeName: string;
  readonly in: 'header' | 'query' | 'cookie';
  /** The name of the header, query parameter or cookie. The name of a header is in lower case. */
  readonly name: string;
  /** The scheme in the header `Authorization`, in lower case, such as `bearer`; undefined for an API key. */
  readonly scheme: string | undefined;
  /** The scopes or roles that the credential must have. */
  readonly scopes: readonly string[];
}

/**
 * Returns the security requirements of the operation at a JSON Pointer.
 * Each requirement is a list of credentials.
 * A request must have all credentials of at least one requirement.
 * The result is empty if the operation requires no credentials.
 * The security of the document does not apply to logins and registrations: clients have no credentials yet.
 * A requirement without credentials makes credentials optional.
 * Client certificates (`mutualTLS`) and security schemes that the document does not define are ignored.
 */
export function getSecurity(document: Document, operation: string): readonly (readonly Credential[])[] {
  const own = getNode(document, `${operation}/security`);
  const requirements = own ?? getNode(document, '/security');
  if (!Array.isArray(requirements) || (own === undefined && isOpen(document, operation))) return [];
  return requirements.filter(isNode).map((requirement) =>
    Object.entries(requirement).flatMap(([name, scopes]) => {
      const scheme = toNode(getTarget(document, getSchemePointer(document, name)));
      const list = Array.isArray(scopes) ? scopes.map(String) : [];
      return createCredential(scheme, list).map((credential) => ({ ...credential, schemeName: name }));
    }),
  );
}

/**
 * Returns the JSON Pointer of the security scheme with a name.
 * The name can also be a reference such as `#/components/securitySchemes/key` (OpenAPI 3.2).
 */
export function getSchemePointer(document: Document, name: string): string {
  const pointer = `/components/securitySchemes${formatPointer(name)}`;
  return name.startsWith('#/') && getNode(document, pointer) === undefined ? parseReference(name) : pointer;
}

/** Returns whether a request to an operation must have credentials: each security requirement has one. */
export function requiresCredentials({ security }: { readonly security: readonly (readonly Credential[])[] }): boolean {
  return security.length > 0 && security.every((requirement) => requirement.length > 0);
}

/** Returns whether requests to an operation can have a login and a password in a header (RFC 7617). */
export function usesBasic({ security }: { readonly security: readonly (readonly Credential[])[] }): boolean {
  return security.flat().some(({ scheme }) => scheme === 'basic');
}

/** Returns whether an operation logs a user in, registers one, or resets a forgotten password. */
function isOpen(document: Document, operation: string): boolean {
  const [, path = '', method] = parsePointer(operation);
  if (method !== 'post' || path.includes('{')) return false;
  const hasSecret = () => sendsSecret(document, operation);
  return precedesLogin(path, hasSecret) || (registersUsers(path, listPaths(document)) && hasSecret());
}

const listPaths = memoizeByObject((document: Document) => Object.keys(toNode(document.paths)));

function sendsSecret(document: Document, operation: string): boolean {
  const media = getMedia(document, `${resolvePointer(document, `${operation}/requestBody`)}/content`);
  return Object.values(media).some(({ schema }) => {
    const parts = schema === undefined ? [] : getSchemaParts(document, schema, ALL_PARTS);
    return [...getPartProperties(parts)].some(([name]) => isSecretName(name));
  });
}

/** Finds the operations to which the security of the document does not apply, although the document does not say so. */
export function findOpenOperations(
  document: Document,
  routes: readonly { readonly pointer: string; readonly security: readonly unknown[] }[],
): readonly Issue[] {
  const requirements = getNode(document, '/security');
  if (!Array.isArray(requirements) || requirements.length === 0) return [];
  const open = routes.filter(
    ({ pointer, security }) => security.length === 0 && getNode(document, `${pointer}/security`) === undefined,
  );
  return open.map(({ pointer }) => ({ pointer, message: OPEN }));
}

const OPEN =
  'requires no credentials here, because clients have none before they log in: add security: [] to the operation';

function createCredential(
  node: Readonly<Record<string, unknown>>,
  scopes: readonly string[],
): readonly Omit<Credential, 'schemeName'>[] {
  const { type, scheme = '', name = '', in: location } = node;
  const authorization = { in: 'header', name: 'authorization', scopes } as const;
  if (type === 'oauth2' || type === 'openIdConnect') return [{ ...authorization, scheme: 'bearer' }];
  if (type === 'http') return [{ ...authorization, scheme: String(scheme).toLowerCase() }];
  if (type !== 'apiKey') return [];
  const key = { name: String(name), scheme: undefined, scopes };
  if (location === 'header') return [{ ...key, in: location, name: key.name.toLowerCase() }];
  return location === 'query' || location === 'cookie' ? [{ ...key, in: location }] : [];
}

/**
 * Returns the names of the headers and query parameters in which clients send credentials for the operations, and those
 * of passwords.
 * A credential in a cookie is in the header `cookie`.
 * `passwords`: the names of passwords.
 */
export function getCredentialNames(
  operations: readonly { readonly security: readonly (readonly Credential[])[] }[],
  passwords: CredentialNames,
): CredentialNames {
  const credentials = operations.flatMap(({ security }) => security.flat());
  const headers = credentials.flatMap((credential) => {
    if (credential.in === 'query') return [];
    return credential.in === 'cookie' ? 'cookie' : credential.name;
  });
  const query = credentials.filter((credential) => credential.in === 'query').map(({ name }) => name);
  return {
    headers: [...new Set([...headers, ...passwords.headers])],
    query: [...new Set([...query, ...passwords.query])],
    properties: passwords.properties,
    paths: passwords.paths,
  };
}

/**
 * Returns the names of the properties, headers and query parameters whose schemas have `format: password`, and of the
 * texts that are `writeOnly`: no response may show them.
 * Header names are in lower case.
 * A property has its XML name as well.
 * The paths also have the parameters with secret names, such as `/resets/{token}`. A name that ends with `id`, such as
 * `sessionId`, is that of an entry.
 */
export const getPasswordNames = memoizeByObject((document: Document): CredentialNames => {
  const names = { headers: new Set<string>(), query: new Set<string>(), properties: new Set<string>() };
  if (hasNode(document, isSecret))
    mapNodes(document, (node, pointer) => {
      addNames(document, pointer, names);
      return node;
    });
  const [headers, query, properties] = [[...names.headers], [...names.query], [...names.properties]];
  return { headers, query, properties, paths: listSecretPaths(document) };
});

type Names = Readonly<Record<'headers' | 'query' | 'properties', Set<string>>>;

/** Adds the names of the passwords in the Parameter Object, or in the properties of the schema, at a JSON Pointer. */
function addNames(document: Document, pointer: string, names: Names) {
  const [part] = getSchemaParts(document, pointer, []);
  const { in: location, name } = toNode(part?.node);
  if (part && (location === 'query' || location === 'header') && isPassword(document, `${part.pointer}/schema`)) {
    if (location === 'header') names.headers.add(String(name).toLowerCase());
    else names.query.add(String(name));
  }
  for (const [property, schema] of getPartProperties(part ? [part] : []))
    if (isPassword(document, schema)) {
      const { name = property } = toNode(toNode(getTarget(document, schema)).xml);
      names.properties.add(property).add(String(name));
      const items = getPartItems(getSchemaParts(document, schema, ALL_PARTS));
      const { name: itemName } = toNode(toNode(items && getTarget(document, items)).xml);
      if (itemName !== undefined) names.properties.add(String(itemName));
    }
}

/** Returns the paths with secret parameters, as in `CredentialNames`. */
function listSecretPaths(document: Document): readonly string[] {
  const paths = Object.entries(toNode(document.paths)).map(([path, item]) => {
    const pointer = `/paths${formatPointer(path)}`;
    const holders = [pointer, ...listOperations(document, toNode(item)).map((one) => pointer + one.pointer)];
    const parameters = holders.flatMap((holder) => {
      const list = getNode(document, `${holder}/parameters`);
      return Array.isArray(list) ? [...list.keys()].map((index) => `${holder}/parameters/${index}`) : [];
    });
    const secret = parameters.flatMap((parameter) => {
      const { in: location, name } = toNode(getTarget(document, parameter));
      const schema = `${resolvePointer(document, parameter)}/schema`;
      return location === 'path' && isPassword(document, schema) ? [String(name)] : [];
    });
    const isSecretPart = (name: string) => secret.includes(name) || (isSecretName(name) && !/id$/i.test(name));
    return path.replaceAll(/\{([^}]*)\}/g, (_, name: string) => (isSecretPart(name) ? '{secret}' : '{}'));
  });
  return paths.filter((path) => path.includes('{secret}'));
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
