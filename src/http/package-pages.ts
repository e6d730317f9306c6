import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { isBelow } from '../util/request-target.ts';
import { readOnly, sendIfExists } from './files.ts';
import type { Headers } from './response-headers.ts';

/** The URL path of the console. */
const CONSOLE_PATH = '/_console';

/** The placeholder in a built page for the nonce of the response. A nonce is a random text that the page and its Content-Security-Policy have in common. */
const NONCE = 'CSP-NONCE';

/** The URL path of the API reference. */
const REFERENCE_PATH = '/_docs';

/** The URL path at which the API reference loads the contract. It is not `/openapi.json`, because an operation of the contract can have that path. */
export const REFERENCE_DOCUMENT_PATH = `${REFERENCE_PATH}/openapi.json`;

/** Returns whether a path is below `/_console` or `/_docs`. Operations of the contract can't have such a path. */
export function isPackagePage(path: string): boolean {
  return path.startsWith('/_') && (isBelow(path, CONSOLE_PATH) || isBelow(path, REFERENCE_PATH));
}

/**
 * The Content-Security-Policy of the console. The console loads only files and images of this server, and runs no inline scripts. No page can embed the console
 * in a frame.
 */
const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/**
 * The Content-Security-Policy of the API reference, which shows text of the document. Only the script with the nonce of the response runs, and what it imports:
 * the paths of this server can have other scripts, such as a mocked `/evil.js`. RapiDoc needs inline styles and images in `data:` URLs. The console shows the
 * API reference in a frame.
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
 * Options of `addPackagePages`. `pagesFolder`: the path of the folder with the built files. `hasFrontEnd`: whether the user's front end is served at `/` and
 * `/docs`.
 */
interface PageOptions {
  readonly pagesFolder: string;
  readonly hasFrontEnd: boolean;
}

/**
 * Adds the routes of the console (`/_console`) and of the API reference (`/_docs`). If there is no front end, `/` also shows the console and `/docs` the API
 * reference. An operation of the contract with the path `/` or `/docs` takes precedence, because these routes get only the requests that match no operation.
 */
export function addPackagePages(router: Router, { pagesFolder, hasFrontEnd }: PageOptions): void {
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
 * A page. `folder`: the path of its built files. `root`: the start of the URL paths of its assets, such as `/_console`. `paths`: the URL paths of the page
 * itself. `policy`: the Content-Security-Policy.
 */
interface PackagePage {
  readonly folder: string;
  readonly root: string;
  readonly paths: readonly string[];
  readonly policy: string;
}

function addPage(router: Router, { folder, root, paths, policy }: PackagePage): void {
  const pageHeaders = { 'Cache-Control': 'no-cache', 'Content-Security-Policy': policy };
  const send = policy.includes(NONCE) ? sendWithNonce : sendIfExists;
  router.all([...paths], readOnly, async (ctx, next) => {
    if (!(await send(ctx, folder, '/index.html', pageHeaders))) await next();
  });
  const assets = `${root}/assets`;
  router.all(new RegExp(`^${assets}/`), readOnly, async (ctx, next) => {
    if (!(await sendAsset(ctx, `${folder}/assets`, ctx.path.slice(assets.length)))) await next();
  });
}

/** Sends a page with a new nonce. Resolves to true if the file exists, otherwise to false. The page can't be cached, because each response has another nonce. */
async function sendWithNonce(ctx: Context, folder: string, path: string, headers: Headers): Promise<boolean> {
  const page = await readFile(folder + path, 'utf8').catch(() => undefined);
  if (page === undefined) return false;
  const nonce = randomBytes(18).toString('base64');
  for (const [name, value] of Object.entries(headers)) ctx.set(name, value.replaceAll(NONCE, nonce));
  ctx.set('Cache-Control', 'no-store');
  ctx.type = 'html';
  ctx.body = page.replaceAll(NONCE, nonce);
  return true;
}

/** The headers of an asset (a script or a style sheet). Browsers can cache an asset forever, because its file name contains a hash of its content. */
const ASSET_HEADERS: Headers = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

/**
 * Sends an asset, compressed with gzip if the build has compressed it and the client accepts gzip. Resolves to true if the asset exists, otherwise to false.
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
