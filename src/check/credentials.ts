import type { Route } from '../openapi/routes.ts';
import type { Credential } from '../openapi/security.ts';
import type { RequestToSend } from './exchange.ts';

/** The token or API key that the check sends if the user has specified no credentials. Mock servers accept any well-formed credentials. */
const TOKEN = 'storefront-check';

/**
 * The values of the `Authorization` header for the schemes `bearer` and `basic`. Basic credentials are a user name and a password in Base64. For any other
 * scheme, the header contains the name of the scheme and the token.
 */
const AUTHORIZATIONS: Readonly<Record<string, string>> = {
  bearer: `Bearer ${TOKEN}`,
  basic: `Basic ${Buffer.from(`storefront:${TOKEN}`).toString('base64')}`,
};

/**
 * Adds credentials to a request, for the first security requirement of its operation. Returns the request unchanged if the operation requires no credentials,
 * or if the user has already set them in `headers`.
 */
export function addCredentials(
  { security }: Route,
  headers: Readonly<Record<string, string>>,
  request: RequestToSend,
): RequestToSend {
  const isGiven = (credential: Credential) => Object.hasOwn(headers, getHeaderName(credential) ?? '');
  if (security.length === 0 || security.flat().some(isGiven)) return request;
  return (security[0] ?? []).reduce(addCredential, request);
}

function addCredential(request: RequestToSend, credential: Credential): RequestToSend {
  const { headers = {}, target } = request;
  const { in: location, name, scheme } = credential;
  const header = getHeaderName(credential);
  if (header === undefined) {
    const parameter = `${encodeURIComponent(name)}=${TOKEN}`;
    const isSent = target.includes(`${encodeURIComponent(name)}=`);
    return isSent ? request : { ...request, target: `${target}${target.includes('?') ? '&' : '?'}${parameter}` };
  }
  if (location === 'cookie')
    return {
      ...request,
      headers: { ...headers, cookie: [headers.cookie ?? [], `${name}=${TOKEN}`].flat().join('; ') },
    };
  const value = scheme === undefined ? TOKEN : (AUTHORIZATIONS[scheme] ?? `${scheme} ${TOKEN}`);
  return { ...request, headers: { [header]: value, ...headers } };
}

/** Returns the name of the header that contains a credential; undefined if a query parameter contains the credential. */
function getHeaderName({ in: location, name }: Credential): string | undefined {
  if (location === 'query') return undefined;
  return location === 'cookie' ? 'cookie' : name;
}
