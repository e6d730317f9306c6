import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { hashContract } from '../openapi/compiled-contract.ts';
import { type Document, formatYaml } from '../openapi/document.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { JSON_TYPE } from '../util/request-target.ts';
import { CONTROL_DOCUMENT_PATHS, HEALTH_PATH } from './access-policy.ts';
import { readOnly, serveFrontEnd, serveImages } from './files.ts';
import { addPackagePages, REFERENCE_DOCUMENT_PATH } from './package-pages.ts';
import { renderProblemPage, renderProblemsPage } from './pages.ts';
import type { AppParts } from './parts.ts';
import type { ProblemKinds } from './problem.ts';
import { problemKinds } from './problem-kinds.ts';
import { DATA_HEADERS } from './response-headers.ts';

/**
 * Creates the routes of the console, the API reference, the OpenAPI documents, the documentation of problems, the health check and the images. These routes
 * support only GET, HEAD and OPTIONS.
 */
export function createRoutes(parts: AppParts): Middleware {
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
  return router.routes() as unknown as Middleware;
}

/** Creates the handlers that send the OpenAPI documents and the result of the health check, by path. */
function createDocuments({ contract, controlContract, version, dataFile }: AppParts) {
  const { enforced, routes } = contract;
  const health = JSON.stringify({ version, dataFile: dataFile ?? null, operations: routes.length });
  const { document: control } = controlContract;
  return {
    '/openapi.yaml': (ctx: Context) => sendContract(ctx, enforced.document, sendYaml(enforced.text)),
    '/openapi.json': (ctx: Context) => sendContract(ctx, enforced.document, sendJson),
    [REFERENCE_DOCUMENT_PATH]: (ctx: Context) => sendContract(ctx, enforced.document, sendJson),
    [CONTROL_DOCUMENT_PATHS.yaml]: (ctx: Context) => sendContract(ctx, control, sendYaml()),
    [CONTROL_DOCUMENT_PATHS.json]: (ctx: Context) => sendContract(ctx, control, sendJson),
    [HEALTH_PATH]: (ctx: Context) => sendText(ctx, JSON_TYPE, health),
  };
}

/** Sends an OpenAPI document as YAML or as JSON. */
type SendDocument = (ctx: Context, document: Document) => void;

/**
 * Sends an OpenAPI document with an `ETag` header, which is a hash of the document. Responds with 304 if the client already has this version. The API reference
 * uses the header to detect a changed contract.
 */
function sendContract(ctx: Context, document: Document, send: SendDocument): void {
  const tag = getTag(document);
  ctx.set('ETag', tag);
  // `ctx.fresh` is false for `Cache-Control: no-cache`, which browsers add to each request with `If-None-Match`.
  if (ctx.get('If-None-Match') === tag) ctx.status = 304;
  else send(ctx, document);
}

const getTag = memoizeByObject((document: Document) => `"${hashContract(JSON.stringify(document))}"`);

const sendJson: SendDocument = (ctx, document) => sendText(ctx, JSON_TYPE, JSON.stringify(document, null, 2));

/** Returns a function that sends a document as YAML. `text`: the YAML; if undefined, the function formats the document. */
function sendYaml(text?: string): SendDocument {
  return (ctx, document) => sendText(ctx, selectYamlType(ctx), text ?? formatYaml(document));
}

const HTML_TYPE = 'text/html; charset=utf-8';

/** Sends an HTML page or a document. The Content-Security-Policy of the response allows inline styles, and no scripts, images or other files. */
function sendText(ctx: Context, type: string, text: string): void {
  ctx.set({
    ...DATA_HEADERS,
    'Content-Type': type,
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  });
  ctx.body = text;
}

/**
 * Returns the media type for a YAML document: `application/yaml` (RFC 9512), or `text/plain` if a browser opens the document. Browsers show plain text, but
 * download YAML.
 */
function selectYamlType(ctx: Context): string {
  ctx.vary('Accept');
  return ctx.accepts()[0] === 'text/html' ? 'text/plain; charset=utf-8' : 'application/yaml';
}
