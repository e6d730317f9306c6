import { existsSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import type { Context, Middleware } from 'koa';
import sendFile from 'send';
import type { UploadedFile } from '../application.ts';
import { chooseMediaType } from '../mock/media-types.ts';
import type { Contract } from '../openapi/contract.ts';
import { allowsJson } from '../openapi/media-types.ts';
import type { Route } from '../openapi/routes.ts';
import { createMethodNotAllowed, HttpProblemError } from '../util/problem.ts';
import { FILES_PATH, getFileHash, IMAGES_PATH, isBelow, JSON_TYPE } from '../util/request-target.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { DATA_HEADERS, type Headers, NO_HEADERS } from './access-policy.ts';
import { isOutOfFiles } from './problem.ts';

/** The methods that files, pages and documents support. */
export const READ_METHODS = ['GET', 'HEAD'];

/**
 * Koa middleware for a path that clients can only read.
 * Calls `next` for GET and HEAD, responds to OPTIONS, and throws an `HttpProblemError` for other methods.
 */
export function readOnly(ctx: Context, next: () => unknown): unknown {
  if (READ_METHODS.includes(ctx.method)) return next();
  if (ctx.method !== 'OPTIONS') throw new HttpProblemError(createMethodNotAllowed(ctx.method, ctx.path, READ_METHODS));
  ctx.status = 204;
  ctx.set({ ...DATA_HEADERS, Allow: READ_METHODS.join(', ') });
  return undefined;
}

/** Creates a middleware that serves the files of a folder at `/images`. */
export function serveImages(folder: string): Middleware {
  return async (ctx, next) => {
    // An SVG file that is opened as a document must not run scripts.
    ctx.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
    if (!(await sendIfExists(ctx, folder, ctx.path.slice(IMAGES_PATH.length)))) await next();
  };
}

/**
 * Returns whether a path is that of an uploaded file.
 * It can also match a path such as `/{owner}/{repo}`, but the contract can have a path below `/_files` itself.
 */
export function isUploadedFile(basePaths: readonly string[], path: string, routed: Routed): boolean {
  if (!path.includes(FILES_PATH) || getFileHash(basePaths, path) === undefined) return false;
  return routed.kind !== 'operation' || !routed.route.path.includes(FILES_PATH);
}

type Routed = ReturnType<Contract['route']>;

/**
 * Sends an uploaded file.
 * A page that opens the file as a document, such as an SVG image or HTML, runs no scripts.
 * Browsers load a video or a PDF that they open like a part of a page, so parts from this server are allowed.
 * Pages of other origins, such as that of a front end, can embed the file.
 */
export function sendUploadedFile(ctx: Context, { type, content }: UploadedFile): void {
  ctx.set({
    ...DATA_HEADERS,
    'Content-Type': type,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Content-Security-Policy':
      "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; object-src 'self'; form-action 'none'; base-uri 'none'",
  });
  ctx.body = content;
}

/**
 * Creates a middleware that serves the files of a built front end.
 * `isStateFile`: returns whether a file belongs to the state, which is never sent.
 */
export function serveFrontEnd(folder: string, isStateFile: (folder: string, file: string) => boolean): Middleware {
  return async (ctx, next) => {
    const isPrivate = isStateFile(folder, decodePath(ctx.path));
    if (isPrivate || !(await sendIfExists(ctx, folder, ctx.path))) await next();
  };
}

/**
 * Creates a middleware for single-page apps: it sends `index.html` when a browser loads a page at a path without a
 * file, such as `/items/7`.
 * The router of the app then shows the page.
 */
export function serveHistoryFallback(folder: string, basePaths: readonly string[]): Middleware {
  return async (ctx, next) => {
    const isRoute = isClientRoute(ctx.path, basePaths);
    if (isRoute) ctx.vary('Accept');
    if (!isRoute || !acceptsPage(ctx) || !(await sendIfExists(ctx, folder, INDEX_PATH))) await next();
  };
}

/** The path of the page that a front end has for its client-side routes. */
const INDEX_PATH = '/index.html';

/** Returns whether the folder of a front end has a page for client-side routes. A build can add it at any time. */
export function hasIndexPage(folder: string): boolean {
  return existsSync(folder + INDEX_PATH);
}

/** The paths of the server, below which a front end has no pages. */
const SERVER_PATHS = [IMAGES_PATH, FILES_PATH, '/problems', '/_control', '/_console', '/_docs'];

/**
 * Returns whether the router of a front end can show a page at a path.
 * It can't for paths with a file extension, paths below `basePaths`, and paths of the server, such as `/_control`.
 */
export function isClientRoute(path: string, basePaths: readonly string[]): boolean {
  const decoded = decodeAscii(path).toLowerCase();
  const isExcluded = (base: string) => isBelow(decoded, base.toLowerCase());
  return ![...basePaths, ...SERVER_PATHS].some(isExcluded) && !hasExtension(path);
}

/**
 * Returns whether a browser loads a page, according to the headers of a request.
 * Without `Sec-Fetch-Mode`, which browsers send only to secure origins and to localhost, the `Accept` header decides.
 */
export function isNavigation({ accept = '', 'sec-fetch-mode': mode = 'navigate' }: IncomingHttpHeaders): boolean {
  return mode === 'navigate' && prefersHtml(accept);
}

/** Returns whether a client prefers HTML to JSON, as a browser that loads a page does. */
function prefersHtml(accept: string): boolean {
  return chooseMediaType([JSON_TYPE, 'text/html'], accept) === 'text/html';
}

/**
 * Returns whether an operation only has data for scripts: all its successful responses are JSON or XML, or have no
 * body.
 * A browser also loads other responses as a page or a file, and follows a redirect.
 */
export function hasOnlyData({ responses }: Pick<Route, 'responses'>): boolean {
  const successes = responses.filter(({ name }) => !/^[45]/.test(name));
  const types = successes.flatMap(({ media }) => Object.keys(media));
  return (
    !successes.some(({ name }) => name.startsWith('3')) &&
    types.every((type) => allowsJson(type) || /^(application|text)\/xml\b/i.test(type))
  );
}

/** Returns whether the last segment of a path contains a dot. */
function hasExtension(path: string): boolean {
  return path.includes('.', path.lastIndexOf('/') + 1);
}

/**
 * Returns whether a client accepts a page at a path without a file and without an operation.
 * Returns true if it prefers HTML to JSON, or if the first type in its `Accept` header is HTML or any type, as that of
 * `fetch` and curl.
 * Returns false for axios, which prefers JSON, and for a browser that loads an image or a style sheet.
 * The package connect-history-api-fallback makes the same distinction.
 */
function acceptsPage(ctx: Context): boolean {
  const [first = ''] = ctx.accepts();
  const isFirst = ['text/html', '*/*'].includes(first) && Boolean(ctx.accepts('html'));
  return isFirst || prefersHtml(ctx.get('Accept'));
}

/** Matches the path of an image. Pages of other origins can embed images with `<img>`. */
const IMAGE = /\.(avif|gif|ico|jpe?g|png|svg|webp)$/i;

/** Decodes a percent-encoded path. Returns an invalid path unchanged, because no file has it. */
function decodePath(path: string): string {
  return tryOrUndefined(() => decodeURIComponent(path)) ?? path;
}

/** Decodes the percent-encoded ASCII characters of a path. */
function decodeAscii(path: string): string {
  return path.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/**
 * Sends the file at a percent-encoded path below a folder.
 * Resolves to true if the file was sent, and to false if the file does not exist, can't be read, or has a name that
 * starts with a dot.
 * Rejects if the server can open no more files.
 * The package `send` refuses paths outside the folder and handles conditional requests.
 * `headers`: headers to set if the file exists.
 */
export function sendIfExists(
  ctx: Context,
  root: string,
  path: string,
  headers: Headers = NO_HEADERS,
): Promise<boolean> {
  const { req, res } = ctx;
  // These headers are meant for requests that change data.
  // `send` would apply them to a GET request and respond with 412.
  delete req.headers['if-match'];
  delete req.headers['if-unmodified-since'];
  const earlierHeaders = res.getHeaderNames();
  // Koa initializes the status with 404, and `send` does not set 200.
  res.statusCode = 200;
  return new Promise((resolve, reject) => {
    const handleMissingFile = (error?: unknown) => {
      if (res.headersSent) return res.destroy();
      res.statusCode = 404;
      for (const name of res.getHeaderNames()) if (!earlierHeaders.includes(name)) res.removeHeader(name);
      return isOutOfFiles(error) ? reject(error) : resolve(false);
    };
    res.once('close', () => {
      ctx.respond = false;
      resolve(true);
    });
    sendFile(req, path, { root, dotfiles: 'ignore', acceptRanges: false })
      .on('headers', () => {
        for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
        if (IMAGE.test(path)) res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
      })
      .on('error', handleMissingFile)
      .on('directory', () => handleMissingFile())
      .pipe(res);
  });
}
