/** An OpenAPI document, with the properties that the page reads or changes. */
export interface OpenApiDocument {
  readonly info?: { readonly title?: string };
  readonly paths?: Readonly<Record<string, PathItem>>;
  readonly servers?: readonly Server[];
}

type PathItem = Readonly<Record<string, unknown>>;

/** A server as RapiDoc shows it. */
export interface Server {
  readonly url: string;
  readonly computedUrl: string;
  readonly description: string;
}

/** A loaded document. `tag`: the `ETag` header of the response, which changes with the document. */
export interface LoadedDocument {
  readonly document: OpenApiDocument;
  readonly tag: string;
}

/** The status of a response if the server requires a token. */
const TOKEN_REQUIRED = 401;

/**
 * Loads a document.
 * Returns undefined if the server requires a token.
 * Throws an `Error` if the server sends another error, and a `TypeError` if the server can't be reached.
 */
export async function loadDocument(path: string, headers: HeadersInit): Promise<LoadedDocument | undefined> {
  const response = await fetch(path, { headers, cache: 'no-store' });
  if (response.status === TOKEN_REQUIRED) return undefined;
  if (!response.ok) throw new Error(await readDetail(response));
  return { document: await response.json(), tag: response.headers.get('ETag') ?? '' };
}

/**
 * Returns whether the document on the server has changed.
 * `tag`: the tag of the loaded document.
 * Throws a `TypeError` if the server can't be reached.
 */
export async function hasChanged(path: string, tag: string, headers: HeadersInit): Promise<boolean> {
  const response = await fetch(path, { method: 'HEAD', headers: { ...headers, 'If-None-Match': tag } });
  return response.ok;
}

async function readDetail(response: Response): Promise<string> {
  const problem = await response.json().catch(() => undefined);
  return typeof problem?.detail === 'string' ? problem.detail : `The server responded with ${response.status}.`;
}

/**
 * Returns a copy of a document whose only server is `server`.
 * The page does not allow requests to the servers of the contract, because they can be other hosts.
 */
export function withServer(document: OpenApiDocument, server: Server): OpenApiDocument {
  const paths = Object.entries(document.paths ?? {}).map(([path, { servers: _, ...item }]) => {
    const parts = Object.entries(item).map(([name, part]) => [name, removeServers(part)]);
    return [path, Object.fromEntries(parts)];
  });
  return removeUnsafeUrls({ ...document, servers: [server], paths: Object.fromEntries(paths) });
}

/** The properties of a document that RapiDoc shows as links. */
const LINKS = [
  'url',
  'termsOfService',
  'authorizationUrl',
  'deviceAuthorizationUrl',
  'tokenUrl',
  'refreshUrl',
  'openIdConnectUrl',
  'oauth2MetadataUrl',
];

/** Returns a copy of a value without the links that are not addresses of the web or of mail, such as `javascript:…`. */
function removeUnsafeUrls<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(removeUnsafeUrls) as Value;
  const entries = Object.entries(value).filter(([name, inner]) => !LINKS.includes(name) || isSafeUrl(inner));
  return Object.fromEntries(entries.map(([name, inner]) => [name, removeUnsafeUrls(inner)])) as Value;
}

/**
 * Returns whether a link leads to an address of the web or of mail, or to a path.
 * A value that is no text belongs to a schema.
 */
function isSafeUrl(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url, location.href)) return true;
  return ['http:', 'https:', 'mailto:'].includes(new URL(url, location.href).protocol);
}

function removeServers(part: unknown): unknown {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
  const { servers: _, ...others } = part as { readonly servers?: unknown };
  return others;
}

/**
 * Returns a Server Object (OpenAPI) for a sandbox of this server: its URL contains the path prefix of the sandbox.
 * If `sandboxId` is empty, the URL has no prefix.
 */
export function createServer(sandboxId: string): Server {
  const url = sandboxId === '' ? location.origin : `${location.origin}/_sandbox/${sandboxId}`;
  return { url, computedUrl: url, description: sandboxId === '' ? 'This server' : `Sandbox ${sandboxId}` };
}
