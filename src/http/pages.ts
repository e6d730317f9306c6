import type { Context } from 'koa';
import type { Application, FrontPage, ProblemKind } from '../application.ts';
import type { Contract } from '../openapi/contract.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import type { State } from '../store/state.ts';
import { HEALTH_PATH } from './access-policy.ts';
import { DATA_HEADERS, JSON_TYPE } from './pipeline/response.ts';
import { getNamedSandbox } from './pipeline/sandbox.ts';
import { createMethodNotAllowed, HttpProblemError, type ProblemKinds } from './problem.ts';
import { problemKinds } from './problem-kinds.ts';

/** What the pages beside the operations of the contract show. */
export interface PagesParts {
  readonly application: Application;
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
    '/problems': (ctx) => sendText(ctx, HTML_TYPE, problemsPage(getProblemKinds(parts))),
  };
}

/** Returns the problems of the server by code: those of its application, and those of the engine. */
export function getProblemKinds({ application }: Pick<PagesParts, 'application'>): ProblemKinds {
  return { ...application.problems, ...problemKinds };
}

/** Sends the page that explains a problem. */
export function sendProblemPage(ctx: Context, code: string, kind: ProblemKind): void {
  sendText(ctx, HTML_TYPE, problemPage(code, kind));
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

/** Renders the page at `/`, about the sandbox that the request selects. */
function frontPage(ctx: Context, { application, contract, version, dataFile, sandboxes }: PagesParts): string {
  const id = getNamedSandbox(ctx.originalUrl, ctx.headers)?.id ?? sandboxes.default.id;
  const isDefault = id === sandboxes.default.id;
  const sandbox = sandboxes.find(id);
  const { state } = (sandbox ?? sandboxes.default).store.read();
  const address = getSandboxAddress(ctx, isDefault ? undefined : id);
  const contents = sandbox
    ? describeCounts(application, state)
    : 'created from the default data by the first request to it';
  const { commands, links } = application.describe?.(state, address) ?? NOTHING;
  return renderPage(
    'storefront',
    `<h1>Storefront is running at ${escapeHtml(address)}</h1>
<p>storefront ${escapeHtml(version)}, ${contract.routes.length} operations, data in <code>${escapeHtml((isDefault ? dataFile : undefined) ?? 'memory')}</code>
<p>${isDefault ? contents : `sandbox <code>${id}</code>: ${contents}`}
${commands.map((command) => `<pre>${escapeHtml(command)}</pre>`).join('\n')}
<ul>
<li><a href="/openapi.yaml">The contract</a>, also <a href="/openapi.json">as JSON</a>
${Object.entries(links)
  .map(([text, path]) => `<li><a href="${escapeHtml(path)}">${escapeHtml(text)}</a>`)
  .join('\n')}
<li><a href="/problems">What each problem means</a>
<li><a href="/_control/health">Whether the server is ready</a>
</ul>`,
  );
}

/** What is shown of an application that describes nothing. */
const NOTHING: FrontPage = { commands: [], links: {} };

/** Returns the address of a sandbox, as the client reaches the server; `id`: undefined for the default sandbox. */
function getSandboxAddress(ctx: Context, id: string | undefined): string {
  const origin = `${ctx.protocol}://${ctx.host}`;
  return id === undefined || ctx.hostname.toLowerCase() === `${id}.localhost` ? origin : `${origin}/_sandbox/${id}`;
}

/** Describes the sizes of the collections: "notes: 2, tag groups: 3". */
function describeCounts({ collections }: Pick<Application, 'collections'>, state: State): string {
  const toWords = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return Object.keys(collections)
    .map((name) => `${toWords(name)}: ${state[name]?.length ?? 0}`)
    .join(', ');
}

function problemsPage(kinds: ProblemKinds): string {
  const entries = Object.entries(kinds).map(
    ([code, { status, title }]) => `<dt><a href="/problems/${code}">${code}</a><dd>${status}: ${escapeHtml(title)}`,
  );
  return renderPage('Problems', `<h1>Problems</h1>\n<dl>\n${entries.join('\n')}\n</dl>`);
}

function problemPage(code: string, { status, title, explanation }: ProblemKind): string {
  return renderPage(
    title,
    `<h1>${escapeHtml(title)}</h1>\n<p><code>${code}</code>, status ${status}\n<p>${escapeHtml(explanation)}\n<p><a href="/problems">All problems</a>`,
  );
}

/** A page of HTML that needs nothing from elsewhere: no script, no font, no picture. `body` is HTML. */
export function renderPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { max-width: 44rem; margin: 3rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.6rem; }
code, pre { font: 0.9rem/1.6 ui-monospace, monospace; }
pre { padding: 0.75rem 1rem; border-radius: 0.5rem; background: #8882; white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; }
dt { font-weight: 600; margin-top: 0.75rem; }
dd { margin: 0; }
</style>
${body}
</html>
`;
}

/** Text as it may stand in HTML, in attributes too. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
