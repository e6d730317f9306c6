import type { Context, Middleware } from 'koa';
import sendFile from 'send';
import { IMAGES_PATH } from '../util/request-target.ts';
import { DATA_HEADERS } from './headers.ts';
import { isBelow } from './pipeline/route.ts';
import { createMethodNotAllowed, HttpProblemError } from './problem.ts';

/** The methods of files and fixed routes. */
export const READ_METHODS = ['GET', 'HEAD'];

/** Calls `next` for GET and HEAD, and responds to OPTIONS. Throws an `HttpProblemError` for other methods. */
export function readOnly(ctx: Context, next: () => unknown): unknown {
  if (READ_METHODS.includes(ctx.method)) return next();
  if (ctx.method !== 'OPTIONS') throw new HttpProblemError(createMethodNotAllowed(ctx.method, ctx.path, READ_METHODS));
  ctx.status = 204;
  ctx.set({ ...DATA_HEADERS, Allow: READ_METHODS.join(', ') });
  return undefined;
}

/** Creates a middleware that serves the files of a folder at /images. */
export function serveImages(folder: string): Middleware {
  return async (ctx, next) => {
    // An SVG file that is opened as a document must not run scripts.
    ctx.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
    if (!(await sendIfExists(ctx, folder, ctx.path.slice(IMAGES_PATH.length)))) await next();
  };
}

/** Creates a middleware that serves the files of a built front end. */
export function serveFrontEnd(folder: string): Middleware {
  return async (ctx, next) => {
    if (!(await sendIfExists(ctx, folder, ctx.path))) await next();
  };
}

/**
 * Creates a middleware that serves index.html for page loads of paths without a file, which are routes of the front end. Paths below `basePath` and the
 * server's own paths are excluded.
 */
export function serveHistoryFallback(folder: string, basePath: string | undefined): Middleware {
  const excludedPaths = [
    ...(basePath === undefined ? [] : [basePath.toLowerCase()]),
    IMAGES_PATH,
    '/problems',
    '/_control',
  ];
  return async (ctx, next) => {
    const path = decodeAscii(ctx.path).toLowerCase();
    const isRoute = !excludedPaths.some((base) => isBelow(path, base)) && !/\.[^/]*$/.test(ctx.path);
    if (isRoute) ctx.vary('Accept');
    if (!isRoute || !prefersHtml(ctx) || !(await sendIfExists(ctx, folder, '/index.html'))) await next();
  };
}

/** Media ranges that a client prefers to all others when it loads a page. */
const PAGE_RANGES = ['text/html', 'application/xhtml+xml', 'text/*', '*/*'];

/**
 * Returns whether a request prefers a page (RFC 9110, section 12.5.1). The preferred type is HTML for a page load, and any type for `fetch` and curl. It is
 * JSON for axios, and a specific type for images and styles: they get no page, as with connect-history-api-fallback.
 */
function prefersHtml(ctx: Context): boolean {
  const [first = ''] = ctx.accepts();
  return PAGE_RANGES.includes(first) && Boolean(ctx.accepts('html'));
}

/** Files that pages of other origins can embed with `<img>`. */
const IMAGE = /\.(avif|gif|ico|jpe?g|png|svg|webp)$/i;

/** Decodes the percent-encoded ASCII characters of a path. */
function decodeAscii(path: string): string {
  return path.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/**
 * Sends the file at a percent-encoded path below a folder. Returns whether the file exists and can be read; a file whose name starts with a dot can't.
 * `send` refuses paths outside the folder, and handles conditional requests.
 */
function sendIfExists(ctx: Context, root: string, path: string): Promise<boolean> {
  const { req, res } = ctx;
  // These preconditions are for changes. `send` would respond with 412.
  delete req.headers['if-match'];
  delete req.headers['if-unmodified-since'];
  const earlierHeaders = res.getHeaderNames();
  // Koa initializes the status with 404, and `send` does not set 200.
  res.statusCode = 200;
  return new Promise((resolve) => {
    const handleMissingFile = () => {
      if (res.headersSent) return res.destroy();
      res.statusCode = 404;
      for (const name of res.getHeaderNames()) if (!earlierHeaders.includes(name)) res.removeHeader(name);
      return resolve(false);
    };
    res.once('close', () => {
      ctx.respond = false;
      resolve(true);
    });
    sendFile(req, path, { root, dotfiles: 'ignore', acceptRanges: false })
      .on('headers', () => {
        if (IMAGE.test(path)) res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
      })
      .on('error', handleMissingFile)
      .on('directory', handleMissingFile)
      .pipe(res);
  });
}
