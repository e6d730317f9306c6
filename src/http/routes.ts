import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Contract } from '../openapi/contract.ts';
import { formatYaml } from '../openapi/document.ts';
import { CONTROL_DOCUMENT_PATH } from './access-policy.ts';
import { serveFrontEnd, serveImages } from './files.ts';
import {
  createPages,
  getProblemKinds,
  isReadRequest,
  type PagesParts,
  sendProblemPage,
  sendText,
  yamlTypeFor,
} from './pages.ts';

/** The parts of the fixed routes. */
export interface RoutesParts extends PagesParts {
  readonly controlContract: Contract;
  /** The folder of the images; undefined if there are none. */
  readonly images: string | undefined;
}

/** Returns the fixed routes, which stand beside the APIs: pages, documents, readiness and images. They can only be read. */
export function createRoutes(parts: RoutesParts): Middleware {
  const router = new Router({ sensitive: true, strict: true });
  for (const [path, page] of Object.entries(createPages(parts))) router.all(path, readOnly, page);
  const kinds = getProblemKinds(parts);
  router.all('/problems/:code', (ctx, next) => {
    const { code = '' } = ctx.params;
    const kind = Object.hasOwn(kinds, code) ? kinds[code] : undefined;
    if (!kind) return next();
    if (isReadRequest(ctx)) sendProblemPage(ctx, code, kind);
    return undefined;
  });
  const { document } = parts.controlContract;
  router.all(CONTROL_DOCUMENT_PATH, readOnly, (ctx) => sendText(ctx, yamlTypeFor(ctx), formatYaml(document)));
  const frontEnd = parts.static === undefined ? [] : [serveFrontEnd(parts.static)];
  const images = parts.images === undefined ? [] : [serveImages(parts.images)];
  router.all(/^\/images\//, readOnly, ...frontEnd, ...images);
  return router.routes() as unknown as Middleware;
}

/** Refuses methods that change something, and answers OPTIONS. */
function readOnly(ctx: Context, next: () => Promise<void>): Promise<void> | undefined {
  return isReadRequest(ctx) ? next() : undefined;
}
