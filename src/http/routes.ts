import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { convertToVersion31 } from '../openapi/convert-to-31.ts';
import { type Document, formatYaml } from '../openapi/document.ts';
import { getDocumentTag } from '../openapi/document-tag.ts';
import { type ProblemKind, problemKinds } from '../util/problem.ts';
import { CONSOLE_PATH, getFileHash, JSON_TYPE, REFERENCE_PATH } from '../util/request-target.ts';
import { CONTROL_DOCUMENT_PATHS, DATA_HEADERS, HEALTH_PATH, type Headers } from './access-policy.ts';
import type { App, Exchange } from './exchange.ts';
import { readOnly, sendIfExists, sendUploadedFile, serveFrontEnd, serveImages } from './files.ts';
import { isOutOfFiles, type ProblemKinds } from './problem.ts';

/**
 * Creates the routes of the console, the API reference, the OpenAPI documents, the documentation of problems, the
 * health check, the images and the uploaded files.
 * These routes support only GET, HEAD and OPTIONS.
 */
export function createRoutes(parts: App): Middleware {
  const { static: frontEndFolder } = parts.options;
  const { imagesFolder, problems } = parts.application;
  const router = new Router({ sensitive: true, strict: true });
  const kinds: ProblemKinds = { ...problems, ...problemKinds };
  for (const [path, page] of Object.entries(createDocuments(parts))) router.all(path, readOnly, page);
  addPackagePages(router, { pagesFolder: parts.pagesFolder, hasFrontEnd: frontEndFolder !== undefined });
  router.all('/problems', readOnly, (ctx) => sendText(ctx, HTML_TYPE, renderProblemsPage(kinds)));
  router.all('/problems/:code', (ctx, next) => {
    const { code = '' } = ctx.params;
    const kind = Object.hasOwn(kinds, code) ? kinds[code] : undefined;
    return kind ? readOnly(ctx, () => sendText(ctx, HTML_TYPE, renderProblemPage(code, kind))) : next();
  });
  const frontEnd = frontEndFolder === undefined ? [] : [serveFrontEnd(frontEndFolder, parts.isStateFile)];
  const images = imagesFolder === undefined ? [] : [serveImages(imagesFolder)];
  router.all(/^\/images\//, readOnly, ...frontEnd, ...images);
  router.all(/\/_files\//, readOnly, serveUploadedFiles(parts));
  return router.routes() as unknown as Middleware;
}

/** Creates the middleware that sends uploaded files of the sandbox that the request names. */
function serveUploadedFiles({ basePaths, implementation }: App): Middleware {
  return (ctx, next) => {
    const exchange = ctx.state.exchange as Exchange;
    const hash = exchange.kind === 'asset' ? getFileHash(basePaths, ctx.path) : undefined;
    const file = hash && implementation.getUploadedFile?.(hash, exchange.sandbox.store.read().state);
    return file ? sendUploadedFile(ctx, file) : next();
  };
}

/** Creates the handlers that send the OpenAPI documents and the result of the health check, by path. */
function createDocuments({ contract, controlContract, version, dataFile }: App) {
  const { enforced, routes } = contract;
  const health = JSON.stringify({ version, dataFile: dataFile ?? null, operations: routes.length });
  const { document: control } = controlContract;
  return {
    '/openapi.yaml': (ctx: Context) => sendContract(ctx, enforced.document, sendYaml(enforced.text)),
    '/openapi.json': (ctx: Context) => sendContract(ctx, enforced.document, sendJson),
    [REFERENCE_DOCUMENT_PATH]: (ctx: Context) => sendContract(ctx, convertToVersion31(enforced.document), sendJson),
    [CONTROL_DOCUMENT_PATHS.yaml]: (ctx: Context) => sendContract(ctx, control, sendYaml()),
    [CONTROL_DOCUMENT_PATHS.json]: (ctx: Context) => sendContract(ctx, control, sendJson),
    [HEALTH_PATH]: (ctx: Context) => sendText(ctx, JSON_TYPE, health),
  };
}

/** Sends an OpenAPI document as YAML or as JSON. */
type SendDocument = (ctx: Context, document: Document) => void;

/**
 * Sends an OpenAPI document with an `ETag` header, which is a hash of the document.
 * Responds with 304 if the client already has this version.
 * The API reference uses the header to detect a changed contract.
 */
function sendContract(ctx: Context, document: Document, send: SendDocument): void {
  const tag = getDocumentTag(document);
  ctx.set('ETag', tag);
  // `ctx.fresh` is false for `Cache-Control: no-cache`, which browsers add to each request with `If-None-Match`.
  if (ctx.get('If-None-Match') === tag) ctx.status = 304;
  else send(ctx, document);
}

const sendJson: SendDocument = (ctx, document) => sendText(ctx, JSON_TYPE, JSON.stringify(document, null, 2));

/**
 * Returns a function that sends a document as YAML.
 * `text`: the YAML; if undefined, the function formats the document.
 */
function sendYaml(text?: string): SendDocument {
  return (ctx, document) => sendText(ctx, selectYamlType(ctx), text ?? formatYaml(document));
}

const HTML_TYPE = 'text/html; charset=utf-8';

/**
 * Sends an HTML page or a document.
 * The Content-Security-Policy of the response allows inline styles, and no scripts, images or other files.
 */
function sendText(ctx: Context, type: string, text: string): void {
  ctx.set({
    ...DATA_HEADERS,
    'Content-Type': type,
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  });
  ctx.body = text;
}

/**
 * Returns the media type for a YAML document: `application/yaml` (RFC 9512), or `text/plain` if a browser opens the
 * document.
 * Browsers show plain text, but download YAML.
 */
function selectYamlType(ctx: Context): string {
  ctx.vary('Accept');
  return ctx.accepts()[0] === 'text/html' ? 'text/plain; charset=utf-8' : 'application/yaml';
}

/** Renders the HTML page that lists all problems (types of error responses). */
function renderProblemsPage(kinds: ProblemKinds): string {
  const rows = Object.entries(kinds).map(
    ([code, { status, title }]) =>
      `<tr><td>${status}<td><a href="/problems/${code}">${code}</a><td>${escapeHtml(title)}`,
  );
  return renderPage(
    'Problems',
    `<h1>Problems</h1>
<p>Each error response of this server has one of these types. The property <code>type</code> of an error response is the path of the page that describes the error.
<table>
<thead><tr><th scope="col">Status<th scope="col">Type<th scope="col">Title
<tbody>
${rows.join('\n')}
</table>`,
  );
}

/** Renders the HTML page that explains a problem (a type of error response). */
function renderProblemPage(code: string, { status, title, explanation }: ProblemKind): string {
  return renderPage(
    title,
    `<h1>${escapeHtml(title)}</h1>\n<p><code>${code}</code>, status ${status}\n<p>${escapeHtml(explanation)}`,
  );
}

/** Renders an HTML page without scripts, fonts or images. `title`: plain text. `body`: HTML. */
function renderPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; font: 15px/1.6 system-ui, sans-serif; color: light-dark(#1c2430, #e6e9ee); background: light-dark(#f5f6f8, #12161c); }
body { max-width: 60rem; margin: 0 auto; padding: 1rem 1.25rem 3rem; }
nav { display: flex; gap: 1.25rem; padding-bottom: 1rem; border-bottom: 1px solid light-dark(#d9dde3, #2c333d); }
a { color: light-dark(#1a56c4, #82aefc); }
h1 { margin: 1.5rem 0 0.5rem; font-size: 1.6rem; }
code { font: 0.9rem/1.6 ui-monospace, monospace; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.4rem 1rem 0.4rem 0; border-bottom: 1px solid light-dark(#d9dde3, #2c333d); text-align: left; vertical-align: top; }
</style>
<nav><a href="/_console/">Console</a><a href="/_docs">API reference</a><a href="/problems">All problems</a></nav>
<main>
${body}
</main>
</html>
`;
}

/** Escapes text for HTML content and attributes. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/**
 * The placeholder in a built page for the nonce of the response.
 * A nonce is a random text that the page and its Content-Security-Policy have in common.
 */
const NONCE = 'CSP-NONCE';

/**
 * The URL path at which the API reference loads the contract.
 * It is not `/openapi.json`, because an operation of the contract can have that path.
 */
const REFERENCE_DOCUMENT_PATH = `${REFERENCE_PATH}/openapi.json`;

/**
 * The Content-Security-Policy of the console.
 * Only the script and the style sheet with the nonce of the response are used, and what the script imports.
 * The paths of this server can have other scripts, such as a mocked `/evil.js`.
 * No page can embed the console in a frame.
 */
const CONSOLE_POLICY = [
  "default-src 'none'",
  `script-src 'nonce-${NONCE}'`,
  `style-src 'nonce-${NONCE}'`,
  "connect-src 'self'",
  "img-src 'self'",
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/**
 * The Content-Security-Policy of the API reference, which shows text of the document.
 * Only the script with the nonce of the response runs, and what it imports, as in the console.
 * RapiDoc needs inline styles and images in `data:` URLs.
 * The console shows the API reference in a frame.
 */
const REFERENCE_POLICY = [
  "default-src 'none'",
  `script-src 'nonce-${NONCE}'`,
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/**
 * Options of `addPackagePages`.
 * `pagesFolder`: the path of the folder with the built files.
 * `hasFrontEnd`: whether the user's front end is served at `/` and `/docs`.
 */
interface PageOptions {
  readonly pagesFolder: string;
  readonly hasFrontEnd: boolean;
}

/**
 * Adds the routes of the console (`/_console`) and of the API reference (`/_docs`).
 * If there is no front end, `/` also shows the console and `/docs` the API reference.
 * An operation of the contract with the path `/` or `/docs` takes precedence, because these routes get only the
 * requests that match no operation.
 */
function addPackagePages(router: Router, { pagesFolder, hasFrontEnd }: PageOptions): void {
  const consolePaths = ['/', '/_sandbox/:id', '/_sandbox/:id/'];
  const referencePaths = ['/docs', '/docs/', '/docs/control'];
  addPage(router, {
    folder: `${pagesFolder}/console`,
    root: CONSOLE_PATH,
    paths: [CONSOLE_PATH, `${CONSOLE_PATH}/`, ...(hasFrontEnd ? [] : consolePaths)],
    policy: CONSOLE_POLICY,
  });
  addPage(router, {
    folder: `${pagesFolder}/reference`,
    root: REFERENCE_PATH,
    paths: [REFERENCE_PATH, `${REFERENCE_PATH}/`, `${REFERENCE_PATH}/control`, ...(hasFrontEnd ? [] : referencePaths)],
    policy: REFERENCE_POLICY,
  });
}

/**
 * A page.
 * `folder`: the path of its built files.
 * `root`: the start of the URL paths of its assets, such as `/_console`.
 * `paths`: the URL paths of the page itself.
 * `policy`: the Content-Security-Policy.
 */
interface PackagePage {
  readonly folder: string;
  readonly root: string;
  readonly paths: readonly string[];
  readonly policy: string;
}

function addPage(router: Router, { folder, root, paths, policy }: PackagePage): void {
  const pageHeaders = { 'Content-Security-Policy': policy };
  router.all([...paths], readOnly, async (ctx, next) => {
    if (!(await sendWithNonce(ctx, folder, '/index.html', pageHeaders))) await next();
  });
  const assets = `${root}/assets`;
  router.all(new RegExp(`^${assets}/`), readOnly, async (ctx, next) => {
    if (!(await sendAsset(ctx, `${folder}/assets`, ctx.path.slice(assets.length)))) await next();
  });
}

/**
 * Sends a page with a new nonce.
 * Resolves to true if the file exists, otherwise to false.
 * The page can't be cached, because each response has another nonce.
 */
async function sendWithNonce(ctx: Context, folder: string, path: string, headers: Headers): Promise<boolean> {
  const page = await readFile(folder + path, 'utf8').catch((error) => {
    if (isOutOfFiles(error)) throw error;
  });
  if (page === undefined) return false;
  const nonce = randomBytes(18).toString('base64');
  for (const [name, value] of Object.entries(headers)) ctx.set(name, value.replaceAll(NONCE, nonce));
  ctx.set('Cache-Control', 'no-store');
  ctx.type = 'html';
  ctx.body = page.replaceAll(NONCE, nonce);
  return true;
}

/**
 * The headers of an asset (a script or a style sheet).
 * Browsers can cache an asset forever, because its file name contains a hash of its content.
 */
const ASSET_HEADERS: Headers = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

/**
 * Sends an asset, compressed with gzip if the build has compressed it and the client accepts gzip.
 * Resolves to true if the asset exists, otherwise to false.
 */
async function sendAsset(ctx: Context, folder: string, path: string): Promise<boolean> {
  ctx.vary('Accept-Encoding');
  const type = TYPES[/\.\w+$/.exec(path)?.[0] ?? ''];
  const isCompressed =
    type !== undefined &&
    ctx.acceptsEncodings('gzip', 'identity') === 'gzip' &&
    (await sendIfExists(ctx, folder, `${path}.gz`, {
      ...ASSET_HEADERS,
      'Content-Type': type,
      'Content-Encoding': 'gzip',
    }));
  return isCompressed || sendIfExists(ctx, folder, path, ASSET_HEADERS);
}

/** The content types of the assets that the build compresses, by extension. */
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};
