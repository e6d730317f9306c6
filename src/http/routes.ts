import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { formatYaml } from '../openapi/document.ts';
import { JSON_TYPE } from '../util/request-target.ts';
import { CONTROL_DOCUMENT_PATH, HEALTH_PATH } from './access-policy.ts';
import { readOnly, serveFrontEnd, serveImages } from './files.ts';
import { DATA_HEADERS } from './headers.ts';
import { renderFrontPage, renderProblemPage, renderProblemsPage } from './pages.ts';
import type { AppParts } from './parts.ts';
import type { ProblemKinds } from './problem.ts';
import { problemKinds } from './problem-kinds.ts';

/** Creates the routes of the pages, the contracts, the readiness check and the images. These routes support only GET, HEAD and OPTIONS. */
export function createRoutes(parts: AppParts): Middleware {
  const { static: frontEndFolder } = parts.options;
  const { imagesFolder, problems } = parts.application;
  const router = new Router({ sensitive: true, strict: true });
  const kinds: ProblemKinds = { ...problems, ...problemKinds };
  for (const [path, page] of Object.entries(createDocuments(parts))) router.all(path, readOnly, page);
  if (frontEndFolder === undefined)
    router.all(['/', '/_sandbox/:id', '/_sandbox/:id/'], readOnly, (ctx) =>
      sendText(ctx, HTML_TYPE, renderFrontPage(ctx, parts)),
    );
  router.all('/problems', readOnly, (ctx) => sendText(ctx, HTML_TYPE, renderProblemsPage(kinds)));
  router.all('/problems/:code', (ctx, next) => {
    const { code = '' } = ctx.params;
    const kind = Object.hasOwn(kinds, code) ? kinds[code] : undefined;
    return kind ? readOnly(ctx, () => sendText(ctx, HTML_TYPE, renderProblemPage(code, kind))) : next();
  });
  const frontEnd = frontEndFolder === undefined ? [] : [serveFrontEnd(frontEndFolder)];
  const images = imagesFolder === undefined ? [] : [serveImages(imagesFolder)];
  router.all(/^\/images\//, readOnly, ...frontEnd, ...images);
  return router.routes() as unknown as Middleware;
}

/** Creates the handlers that send the contracts and the result of the readiness check, by path. */
function createDocuments({ contract, controlContract, version, dataFile }: AppParts) {
  const { enforced, routes } = contract;
  const health = JSON.stringify({ version, dataFile: dataFile ?? null, operations: routes.length });
  return {
    '/openapi.yaml': (ctx: Context) => sendText(ctx, selectYamlType(ctx), enforced.text),
    '/openapi.json': (ctx: Context) => sendText(ctx, JSON_TYPE, JSON.stringify(enforced.document, null, 2)),
    [CONTROL_DOCUMENT_PATH]: (ctx: Context) => sendText(ctx, selectYamlType(ctx), formatYaml(controlContract.document)),
    [HEALTH_PATH]: (ctx: Context) => sendText(ctx, JSON_TYPE, health),
  };
}

const HTML_TYPE = 'text/html; charset=utf-8';

/** Sends a page or a document. The content security policy of the response allows only inline styles. */
function sendText(ctx: Context, type: string, text: string): void {
  ctx.set({
    ...DATA_HEADERS,
    'Content-Type': type,
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  });
  ctx.body = text;
}

/** Returns the media type of YAML (RFC 9512). Returns plain text for a page load, because browsers do not show YAML but download it. */
function selectYamlType(ctx: Context): string {
  ctx.vary('Accept');
  return ctx.accepts()[0] === 'text/html' ? 'text/plain; charset=utf-8' : 'application/yaml';
}
