import type { Route } from '../openapi/routes.ts';
import type { Credential } from '../openapi/security.ts';
import type { RequestToSend } from './exchange.ts';

/** The token or key that the check sends if the user has given none. Mock servers accept each credential that has the right form. */
const TOKEN = 'storefront-check';

/** The value of `Authorization` for the schemes that have a form of their own. The credentials of `Basic` are a user name and a password in Base64. */
const AUTHORIZATIONS: Readonly<Record<string, string>> = {
  bearer: `Bearer ${TOKEN}`,
  basic: `Basic ${Buffer.from(`storefront:${TOKEN}`).toString('base64')}`,
};

/** Adds credentials of the right form for the first security requirement of an operation, unless the `headers` of the user have credentials for the operation. */
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

/** Returns the header that has a credential; undefined for a query parameter. */
function getHeaderName({ in: location, name }: Credential): string | undefined {
  if (location === 'query') return undefined;
  return location === 'cookie' ? 'cookie' : name;
}
