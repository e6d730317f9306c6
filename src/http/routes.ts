import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { formatYaml } from '../openapi/document.ts';
import { CONTROL_DOCUMENT_PATH, HEALTH_PATH } from './access-policy.ts';
import { readOnly, serveFrontEnd, serveImages } from './files.ts';
import { renderFrontPage, renderProblemPage, renderProblemsPage } from './pages.ts';
import type { AppParts } from './parts.ts';
import { DATA_HEADERS, JSON_TYPE } from './pipeline/response.ts';
import type { ProblemKinds } from './problem.ts';
import { problemKinds } from './problem-kinds.ts';

/** Returns the fixed routes, which stand beside the APIs: pages, documents, readiness and images. They can only be read. */
export function createRoutes(parts: AppParts): Middleware {
  const router = new Router({ sensitive: true, strict: true });
  // An application's problems stand beside those of the engine.
  const kinds: ProblemKinds = { ...parts.application.problems, ...problemKinds };
  for (const [path, page] of Object.entries(createDocuments(parts))) router.all(path, readOnly, page);
  if (parts.static === undefined)
    router.all(['/', '/_sandbox/:id', '/_sandbox/:id/'], readOnly, (ctx) =>
      sendText(ctx, HTML_TYPE, renderFrontPage(ctx, parts)),
    );
  router.all('/problems', readOnly, (ctx) => sendText(ctx, HTML_TYPE, renderProblemsPage(kinds)));
  router.all('/problems/:code', (ctx, next) => {
    const { code = '' } = ctx.params;
    const kind = Object.hasOwn(kinds, code) ? kinds[code] : undefined;
    return kind ? readOnly(ctx, () => sendText(ctx, HTML_TYPE, renderProblemPage(code, kind))) : next();
  });
  const frontEnd = parts.static === undefined ? [] : [serveFrontEnd(parts.static)];
  const images = parts.images === undefined ? [] : [serveImages(parts.images)];
  router.all(/^\/images\//, readOnly, ...frontEnd, ...images);
  return router.routes() as unknown as Middleware;
}

/** Returns the documents of the contracts, and readiness, by their paths. */
function createDocuments({ contract, controlContract, version, dataFile }: AppParts) {
  const { enforced, routes } = contract;
  const health = JSON.stringify({ version, dataFile: dataFile ?? null, operations: routes.length });
  return {
    '/openapi.yaml': (ctx: Context) => sendText(ctx, yamlTypeFor(ctx), enforced.text),
    '/openapi.json': (ctx: Context) => sendText(ctx, JSON_TYPE, JSON.stringify(enforced.document, null, 2)),
    [CONTROL_DOCUMENT_PATH]: (ctx: Context) => sendText(ctx, yamlTypeFor(ctx), formatYaml(controlContract.document)),
    [HEALTH_PATH]: (ctx: Context) => sendText(ctx, JSON_TYPE, health),
  };
}

const HTML_TYPE = 'text/html; charset=utf-8';

/** Sends a page or a document. It may have styles of its own, and nothing else. */
function sendText(ctx: Context, type: string, text: string): void {
  ctx.set({
    ...DATA_HEADERS,
    'Content-Type': type,
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  });
  ctx.body = text;
}

/** The type of a YAML document (RFC 9512), as plain text for a browser that opens it: browsers download other types. */
function yamlTypeFor(ctx: Context): string {
  ctx.vary('Accept');
  return ctx.accepts()[0] === 'text/html' ? 'text/plain; charset=utf-8' : 'application/yaml';
}
