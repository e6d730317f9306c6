import { type Document, isObject, list, type Node, type Operation } from './document.ts';

/** The credentials of a request. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** Returns credentials of the right form for the first alternative of an operation's security. */
export function createCredentials({ root, resolve }: Document, { node }: Operation): Credentials {
  const [requirement] = list(node.security ?? root.security).filter(isObject);
  const schemes = (root.components as Node | undefined)?.securitySchemes as Node | undefined;
  const parts = Object.keys(requirement ?? {}).map((name) => createPart(resolve(schemes?.[name])));
  return {
    headers: Object.assign({}, ...parts.map(({ headers }) => headers)),
    query: Object.assign({}, ...parts.map(({ query }) => query)),
  };
}

function createPart({ type, scheme, name, in: place }: Node): Partial<Credentials> {
  if (type === 'apiKey') {
    if (place === 'query') return { query: { [String(name)]: 'key' } };
    return { headers: place === 'cookie' ? { cookie: `${name}=key` } : { [String(name)]: 'key' } };
  }
  const isBasic = type === 'http' && String(scheme).toLowerCase() === 'basic';
  return { headers: { authorization: isBasic ? `Basic ${btoa('user:password')}` : 'Bearer token' } };
}
