import type { Context, Middleware } from 'koa';
import sendFile from 'send';
import { IMAGES_PATH } from '../util/request-target.ts';
import { DATA_HEADERS } from './pipeline/response.ts';
import { isBelow } from './pipeline/route.ts';
import { createMethodNotAllowed, HttpProblemError } from './problem.ts';

/** The methods of everything that can only be read. */
const READ_METHODS = ['GET', 'HEAD'];

/** Passes on requests that read. Throws `HttpProblemError` for other methods; answers OPTIONS. */
export function readOnly(ctx: Context, next: () => unknown): unknown {
  if (READ_METHODS.includes(ctx.method)) return next();
  if (ctx.method !== 'OPTIONS') throw new HttpProblemError(createMethodNotAllowed(ctx.method, ctx.path, READ_METHODS));
  ctx.status = 204;
  ctx.set({ ...DATA_HEADERS, Allow: READ_METHODS.join(', ') });
  return undefined;
}

/** Serves the images: the files below `folder` at /images, and nothing outside it. */
export function serveImages(folder: string): Middleware {
  return async (ctx, next) => {
    // An SVG that is opened by itself is a document: it may not run anything.
    ctx.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
    if (!(await sendExisting(ctx, folder, ctx.path.slice(IMAGES_PATH.length)))) await next();
  };
}

/** Serves a built front end from `folder`: its files. */
export function serveFrontEnd(folder: string): Middleware {
  return async (ctx, next) => {
    if (!(await sendExisting(ctx, folder, ctx.path))) await next();
  };
}

/**
 * Serves index.html where a browser asks for a page that is no file: a route of the front end's own. It has none below `basePath`, that of the contract,
 * nor below the paths of the server.
 */
export function serveHistoryFallback(folder: string, basePath: string | undefined): Middleware {
  const ours = [...(basePath === undefined ? [] : [basePath.toLowerCase()]), IMAGES_PATH, '/problems', '/_control'];
  return async (ctx, next) => {
    const path = decodeAscii(ctx.path).toLowerCase();
    const isRoute = !ours.some((base) => isBelow(path, base)) && !/\.[^/]*$/.test(ctx.path);
    if (isRoute) ctx.vary('Accept');
    if (!isRoute || !prefersHtml(ctx) || !(await sendExisting(ctx, folder, '/index.html'))) await next();
  };
}

/** Media ranges that stand for a page where a client prefers them to all others. */
const PAGE_RANGES = ['text/html', 'application/xhtml+xml', 'text/*', '*/*'];

/**
 * Whether a page is what the request prefers (RFC 9110, 12.5.1): a navigation names HTML first, and `fetch` and curl any type. axios names JSON first
 * and any type last; it gets no page, as with connect-history-api-fallback. Images and styles name their own types first.
 */
function prefersHtml(ctx: Context): boolean {
  const [first = ''] = ctx.accepts();
  return PAGE_RANGES.includes(first) && Boolean(ctx.accepts('html'));
}

/** Files that pages of other origins may embed, as `<img>` does without asking. */
const IMAGE = /\.(avif|gif|ico|jpe?g|png|svg|webp)$/i;

/** Decodes the ASCII characters of a path, however they are spelt. */
function decodeAscii(path: string): string {
  return path.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/**
 * Sends the file at an encoded path below a folder; false where there is none, or none that may be read. Dot files are none.
 * `send` keeps the path inside the folder and answers conditional requests.
 */
function sendExisting(ctx: Context, root: string, path: string): Promise<boolean> {
  const { req, res } = ctx;
  // Preconditions of changes; nothing is changed here, and send would answer 412.
  delete req.headers['if-match'];
  delete req.headers['if-unmodified-since'];
  const before = res.getHeaderNames();
  // Koa begins with 404, and send doesn't say 200.
  res.statusCode = 200;
  return new Promise((resolve) => {
    const notSent = () => {
      if (res.headersSent) return res.destroy();
      res.statusCode = 404;
      for (const name of res.getHeaderNames()) if (!before.includes(name)) res.removeHeader(name);
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
      .on('error', notSent)
      .on('directory', notSent)
      .pipe(res);
  });
}
