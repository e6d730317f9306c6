import type { Context } from 'koa';
import type { Contract } from '../openapi/contract.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import { HEALTH_PATH } from './control/control-path.ts';
import { DATA_HEADERS } from './headers.ts';
import { escapeHtml, renderPage } from './html-page.ts';
import { getNamedSandbox } from './pipeline/named-sandbox.ts';
import { JSON_TYPE } from './pipeline/response.ts';
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

/** The methods of everything that can only be read. */
const READ_METHODS = ['GET', 'HEAD'];

/** Whether a request reads. Throws `HttpProblemError` for other methods; answers OPTIONS. */
export function isReadRequest(ctx: Context): boolean {
  if (READ_METHODS.includes(ctx.method)) return true;
  if (ctx.method !== 'OPTIONS') throw new HttpProblemError(createMethodNotAllowed(ctx.method, ctx.path, READ_METHODS));
  ctx.status = 204;
  ctx.set({ ...DATA_HEADERS, Allow: READ_METHODS.join(', ') });
  return false;
}

/** Sends a page or a document. */
type Page = (ctx: Context) => void;

/** Returns what stands beside the APIs, by its path: the page at `/`, the contract, readiness, and the page of all problems. */
export function createPages(parts: PagesParts): Readonly<Record<string, Page>> {
  const { contract, version, dataFile } = parts;
  const health = { version, dataFile: dataFile ?? null, operations: contract.routes.length };
  return {
    ...(parts.static === undefined ? { '/': (ctx) => sendText(ctx, HTML_TYPE, frontPage(ctx, parts)) } : {}),
    '/openapi.yaml': (ctx) => sendText(ctx, yamlTypeFor(ctx), contract.enforced.text),
    '/openapi.json': (ctx) => sendText(ctx, JSON_TYPE, JSON.stringify(contract.enforced.document, null, 2)),
    [HEALTH_PATH]: (ctx) => sendText(ctx, JSON_TYPE, JSON.stringify(health)),
    '/problems': (ctx) => sendText(ctx, HTML_TYPE, problemsPage()),
  };
}

/** Sends the page that explains a problem. */
export function sendProblemPage(ctx: Context, code: ProblemCode): void {
  sendText(ctx, HTML_TYPE, problemPage(code));
}

/** Whether a text is the code of a problem. */
export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problemKinds, text);
}

const HTML_TYPE = 'text/html; charset=utf-8';

/** Sends a page or a document. It may have styles of its own, and nothing else. */
export function sendText(ctx: Context, type: string, text: string): void {
  ctx.set({
    ...DATA_HEADERS,
    'Content-Type': type,
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  });
  ctx.body = text;
}

/** The type of a YAML document (RFC 9512), as plain text for a browser that opens it: browsers download other types. */
export function yamlTypeFor(ctx: Context): string {
  ctx.vary('Accept');
  return ctx.accepts()[0] === 'text/html' ? 'text/plain; charset=utf-8' : 'application/yaml';
}

/** The page at `/`, about the sandbox that the request names. */
function frontPage(ctx: Context, { contract, version, dataFile, sandboxes }: PagesParts): string {
  const id = getNamedSandbox(ctx.originalUrl, ctx.headers)?.id ?? sandboxes.default.id;
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
