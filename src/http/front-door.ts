import type { Context, Middleware } from 'koa';
import type { Contract } from '../contract/contract.ts';
import type { Sandboxes } from '../sandboxes/registry.ts';
import { answerWith, success } from './exchange.ts';
import { escaped, page } from './page.ts';
import { FaultError, methodNotAllowed, type ProblemCode, problemKinds } from './problem.ts';

/** What the pages beside the interface tell of. */
export interface FrontDoorParts {
  readonly contract: Contract;
  /** The version of this package. */
  readonly version: string;
  /** The data file; undefined where the state is in memory only. */
  readonly dataFile: string | undefined;
  /** The folder of a built front end, which then stands at /. */
  readonly static: string | undefined;
  readonly sandboxes: Sandboxes;
}

/** The methods of everything that can only be looked at. */
const LOOK_ONLY = ['GET', 'HEAD'];

/** Refuses what can only be looked at and is asked for by another method; answers OPTIONS. True where it may be looked at. */
export function mayLook(ctx: Context): boolean {
  if (LOOK_ONLY.includes(ctx.method)) return true;
  if (ctx.method !== 'OPTIONS') throw new FaultError(methodNotAllowed(ctx.method, ctx.path, LOOK_ONLY));
  answerWith(ctx, success({ status: 204, headers: { Allow: LOOK_ONLY.join(', ') } }));
  return false;
}

/** Answers what stands beside the interface: the page at `/`, the contract, readiness, and the pages that explain problems. */
export function frontDoor(parts: FrontDoorParts): Middleware {
  const { contract, version, dataFile } = parts;
  const looks: Readonly<Record<string, (ctx: Context) => void>> = {
    ...(parts.static !== undefined
      ? {}
      : { '/': (ctx) => sendText(ctx, 'text/html; charset=utf-8', frontPage(`${ctx.protocol}://${ctx.host}`, parts)) }),
    '/openapi.yaml': (ctx) => sendText(ctx, 'application/yaml', contract.text),
    '/openapi.json': (ctx) => sendText(ctx, 'application/json', JSON.stringify(contract.document, null, 2)),
    '/_control/health': (ctx) =>
      answerWith(
        ctx,
        success({ status: 200, body: { version, dataFile: dataFile ?? null, operations: contract.routes.length } }),
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
    if (mayLook(ctx)) look(ctx);
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

function frontPage(address: string, { contract, version, dataFile, sandboxes }: FrontDoorParts): string {
  const [product] = sandboxes.default.store.read().state.products;
  const item = JSON.stringify({ productId: product?.id, quantity: 2 });
  const commands = [
    `curl '${address}/api/products?search=${encodeURIComponent((product?.keywords[0] ?? '').replaceAll(/\p{Surrogate}/gu, ''))}'`,
    `curl -X POST ${address}/api/cart-items -H 'Content-Type: application/json' -d '${item}'`,
    `curl ${address}/api/payment-summary`,
  ];
  return page(
    'storefront',
    `<h1>The shop is open at ${escaped(address)}</h1>
<p>storefront ${escaped(version)}, ${contract.routes.length} operations, data in <code>${escaped(dataFile ?? 'memory')}</code>
${commands.map((command) => `<pre>${escaped(command)}</pre>`).join('\n')}
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
    ([code, { status, title }]) => `<dt><a href="/problems/${code}">${code}</a><dd>${status}: ${escaped(title)}`,
  );
  return page('Problems', `<h1>Problems</h1>\n<dl>\n${entries.join('\n')}\n</dl>`);
}

function problemPage(code: ProblemCode): string {
  const { status, title, explanation } = problemKinds[code];
  return page(
    title,
    `<h1>${escaped(title)}</h1>\n<p><code>${code}</code>, status ${status}\n<p>${escaped(explanation)}\n<p><a href="/problems">All problems</a>`,
  );
}
