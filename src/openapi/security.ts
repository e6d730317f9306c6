import { formatPointer } from '../util/json-pointer.ts';
import type { CredentialNames } from '../util/redact-secrets.ts';
import { type Document, getNode, getTarget, isNode, toNode } from './document.ts';

/** A credential that a request must have. */
export interface Credential {
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
 * A requirement without credentials makes credentials optional.
 * Client certificates (`mutualTLS`) and security schemes that the document does not define are ignored.
 */
export function getSecurity(document: Document, operation: string): readonly (readonly Credential[])[] {
  const requirements = getNode(document, `${operation}/security`) ?? getNode(document, '/security');
  if (!Array.isArray(requirements)) return [];
  return requirements.filter(isNode).map((requirement) =>
    Object.entries(requirement).flatMap(([name, scopes]) => {
      const scheme = toNode(getTarget(document, `/components/securitySchemes${formatPointer(name)}`));
      return createCredential(scheme, Array.isArray(scopes) ? scopes.map(String) : []);
    }),
  );
}

function createCredential(node: Readonly<Record<string, unknown>>, scopes: readonly string[]): readonly Credential[] {
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
