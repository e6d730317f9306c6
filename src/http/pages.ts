import type { Context, Middleware } from 'koa';
import type { Contract } from '../openapi/contract.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import { escapeHtml, renderPage } from './html-page.ts';
import { getNamedSandbox } from './pipeline/named-sandbox.ts';
import { createResponse, setResponse } from './pipeline/response.ts';
import { createMethodNotAllowed, HttpProblemError, type ProblemCode, problemKinds } from './problem.ts';

/** What the pages beside the interface tell of. */
export interface PagesParts {
  readonly contract: Contract;
  /** The version of this package. */
  readonly version: string;
  /** The name of the data file, without its folder; undefined where the state is in memory only. */
  readonly dataFile: string | undefined;
  /** The folder of a built front end, which then stands at /. */
  readonly static: string | undefined;
  readonly sandboxes: Sandboxes;
}

/** The methods of everything that can only be looked at. */
const LOOK_ONLY = ['GET', 'HEAD'];

/** Refuses what can only be looked at and is asked for by another method; answers OPTIONS. True where it may be looked at. */
export function isReadRequest(ctx: Context): boolean {
  if (LOOK_ONLY.includes(ctx.method)) return true;
  if (ctx.method !== 'OPTIONS') throw new HttpProblemError(createMethodNotAllowed(ctx.method, ctx.path, LOOK_ONLY));
  setResponse(ctx, createResponse({ status: 204, headers: { Allow: LOOK_ONLY.join(', ') } }));
  return false;
}

/** Answers what stands beside the interface: the page at `/`, the contract, readiness, and the pages that explain problems. */
export function servePages(parts: PagesParts): Middleware {
  const { contract, version, dataFile } = parts;
  const looks: Readonly<Record<string, (ctx: Context) => void>> = {
    ...(parts.static !== undefined
      ? {}
      : { '/': (ctx) => sendText(ctx, 'text/html; charset=utf-8', frontPage(ctx, parts)) }),
    '/openapi.yaml': (ctx) => sendText(ctx, yamlTypeFor(ctx), contract.enforced.text),
    '/openapi.json': (ctx) => sendText(ctx, 'application/json', JSON.stringify(contract.enforced.document, null, 2)),
    '/_control/health': (ctx) =>
      setResponse(
        ctx,
        createResponse({
          status: 200,
          body: { version, dataFile: dataFile ?? null, operations: contract.routes.length },
        }),
      ),
    '/problems': (ctx) => sendText(ctx, 'text/html; charset=utf-8', problemsPage()),
    ...Object.fromEntries(
      Object.keys(problemKinds).map((code) => [
        `/problems/${code}`,
        (ctx: Context) => sendText(ctx, 'text/html; charset=utf-8', problemPage(code as ProblemCode)),
      ]),
    ),
  };
  return (ctx, next) => {
    const look = Object.hasOwn(looks, ctx.path) ? looks[ctx.path] : undefined;
    if (!look) return next();
    if (isReadRequest(ctx)) look(ctx);
    return undefined;
  };
}

function sendText(ctx: Context, type: string, text: string): void {
  ctx.set('Content-Type', type);
  ctx.set('Cache-Control', 'no-store');
  ctx.set(
    'Content-Security-Policy',
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  );
  ctx.body = text;
}

/** The type of a YAML document (RFC 9512), as plain text for a browser that opens it: browsers download other types. */
export function yamlTypeFor(ctx: Context): string {
  ctx.vary('Accept');
  return ctx.accepts()[0] === 'text/html' ? 'text/plain; charset=utf-8' : 'application/yaml';
}

/** The page at `/`, about the sandbox that the request names. */
function frontPage(ctx: Context, { contract, version, dataFile, sandboxes }: PagesParts): string {
  const id = getNamedSandbox(ctx.req)?.id ?? sandboxes.default.id;
  const isDefault = id === sandboxes.default.id;
  const found = sandboxes.find(id);
  const { products, cartItems, orders } = (found ?? sandboxes.default).store.read().state;
  const origin = `${ctx.protocol}://${ctx.host}`;
  const isNamedByHost = ctx.hostname.toLowerCase() === `${id}.localhost`;
  const address = isDefault || isNamedByHost ? origin : `${origin}/_sandbox/${id}`;
  const count = `products: ${products.length}, cart items: ${cartItems.length}, orders: ${orders.length}`;
  const contents = found ? count : 'created from the default data by the first request to it';
  const about = isDefault ? count : `sandbox <code>${id}</code>: ${contents}`;
  const [product] = products;
  const item = JSON.stringify({ productId: product?.id, quantity: 2 });
  const commands = [
    `curl '${address}/api/products?search=${encodeURIComponent((product?.keywords[0] ?? '').replaceAll(/\p{Surrogate}/gu, ''))}'`,
    `curl -X POST ${address}/api/cart-items -H 'Content-Type: application/json' -d '${item}'`,
    `curl ${address}/api/payment-summary`,
  ];
  return renderPage(
    'storefront',
    `<h1>The shop is open at ${escapeHtml(address)}</h1>
<p>storefront ${escapeHtml(version)}, ${contract.routes.length} operations, data in <code>${escapeHtml((isDefault ? dataFile : undefined) ?? 'memory')}</code>
<p>${about}
${commands.map((command) => `<pre>${escapeHtml(command)}</pre>`).join('\n')}
<ul>
<li><a href="/openapi.yaml">The contract</a>, also <a href="/openapi.json">as JSON</a>
<li><a href="/api/products">The products</a>, <a href="/api/cart-items?expand=product">the cart</a>, <a href="/api/orders?expand=products">the orders</a>
<li><a href="/problems">What each problem means</a>
<li><a href="/_control/health">Whether the server is ready</a>
</ul>`,
  );
}

function problemsPage(): string {
  const entries = Object.entries(problemKinds).map(
    ([code, { status, title }]) => `<dt><a href="/problems/${code}">${code}</a><dd>${status}: ${escapeHtml(title)}`,
  );
  return renderPage('Problems', `<h1>Problems</h1>\n<dl>\n${entries.join('\n')}\n</dl>`);
}

function problemPage(code: ProblemCode): string {
  const { status, title, explanation } = problemKinds[code];
  return renderPage(
    title,
    `<h1>${escapeHtml(title)}</h1>\n<p><code>${code}</code>, status ${status}\n<p>${escapeHtml(explanation)}\n<p><a href="/problems">All problems</a>`,
  );
}
