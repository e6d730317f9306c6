import type { Context, Middleware } from 'koa';
import sendFile from 'send';
import { mayLook } from './front-door.ts';

/** Serves the pictures: the files below `folder` at /images, and nothing outside it. */
export function pictures(folder: string): Middleware {
  return async (ctx, next) => {
    if (!ctx.path.startsWith('/images/')) return next();
    if (!mayLook(ctx)) return;
    // An SVG that is opened by itself is a document: it may not run anything.
    ctx.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
    if (!(await sent(ctx, folder, ctx.path.slice('/images'.length)))) await next();
  };
}

/** Serves a built front end from `folder`: its files. */
export function frontEnd(folder: string): Middleware {
  return async (ctx, next) => {
    if (!mayLook(ctx)) return;
    if (!(await sent(ctx, folder, ctx.path))) await next();
  };
}

/** Serves index.html where a browser asks for a page that is no file: a route of the front end's own. */
export function historyFallback(folder: string): Middleware {
  return async (ctx, next) => {
    const isRoute = !isOurs(ctx.path) && !/\.[^/]*$/.test(ctx.path) && Boolean(ctx.accepts('html'));
    if (!isRoute || !(await sent(ctx, folder, '/index.html'))) await next();
  };
}

/** What a front end has no routes below, however it is spelt. */
const OURS = /^\/(api|images|problems|_control)(\/|$)/i;

function isOurs(path: string): boolean {
  return OURS.test(path.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))));
}

/**
 * Sends the file at an encoded path below a folder; false where there is none, or none that may be read. Dot files are none.
 * `send` keeps the path inside the folder and answers conditional requests.
 */
function sent(ctx: Context, root: string, path: string): Promise<boolean> {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return Promise.resolve(false);
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
    const isSent = () => {
      ctx.respond = false;
      resolve(true);
    };
    res.once('close', isSent);
    sendFile(req, path, { root, dotfiles: 'ignore', acceptRanges: false })
      .on('error', notSent)
      .on('directory', notSent)
      .pipe(res);
  });
}
