import type { Context } from 'koa';
import type { ProblemKind } from '../application.ts';
import type { State } from '../store/state.ts';
import { CONTROL_DOCUMENT_PATH } from './access-policy.ts';
import { countOperations, explainOperations } from './operation-table.ts';
import type { AppParts } from './parts.ts';
import { getNamedSandbox } from './pipeline/route.ts';
import type { ProblemKinds } from './problem.ts';

/** Renders the front page at `/`. It shows the sandbox that the request names. */
export function renderFrontPage(ctx: Context, parts: AppParts): string {
  const { application, contract, collections, version, dataFile, sandboxes } = parts;
  const id = getNamedSandbox(ctx.originalUrl, ctx.headers).sandboxId ?? sandboxes.default.id;
  const isDefault = id === sandboxes.default.id;
  const sandbox = sandboxes.find(id);
  const { state } = (sandbox ?? sandboxes.default).store.read();
  const address = getSandboxAddress(ctx, isDefault ? undefined : id);
  const contents = sandbox
    ? describeCounts(Object.keys(collections), state)
    : 'created from the default data by the first request to it';
  const { commands, links } = application.describe?.(state, address, contract) ?? { commands: [], links: {} };
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
${renderControlLinks(parts)}<li><a href="/problems">Explanations of the problems</a>
<li><a href="/_control/health">Readiness check</a>
</ul>
${renderOperations(parts)}`,
  );
}

/** Renders the table of the operations, as `storefront explain` prints it. */
function renderOperations(parts: AppParts): string {
  const rows = explainOperations(parts).map(
    ({ method, path, operationId, mocked, explanation }) =>
      `<tr><td>${method}<td>${escapeHtml(path)}<td>${escapeHtml(operationId)}<td>${mocked ? 'mocked' : 'real'}: ${escapeHtml(explanation)}`,
  );
  return `<h2>${countOperations(parts).replace(/\.$/, '')}</h2>
<table>
${rows.join('\n')}
</table>
<p><code>npx storefront explain FILE</code> prints this table for any contract.`;
}

/** Renders links to the control API. Returns an empty string if a browser cannot use the control API. */
function renderControlLinks({ access }: AppParts): string {
  const { isOn, isLoopback, token } = access.control;
  if (!isOn || !isLoopback || token !== undefined) return '';
  return `<li><a href="/_control/sandboxes">The sandboxes</a>
<li><a href="${CONTROL_DOCUMENT_PATH}">The contract of the control API</a>: faults, journal, clock, snapshots
`;
}

/** Returns the URL of a sandbox on the host of the request. `id`: the id of the sandbox; undefined for the default sandbox. */
function getSandboxAddress(ctx: Context, id: string | undefined): string {
  const origin = `${ctx.protocol}://${ctx.host}`;
  return id === undefined || ctx.hostname.toLowerCase() === `${id}.localhost` ? origin : `${origin}/_sandbox/${id}`;
}

/** Returns the sizes of the collections as HTML, such as "notes: 2, tag groups: 3". */
function describeCounts(collections: readonly string[], state: State): string {
  const toWords = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return collections.map((name) => `${escapeHtml(toWords(name))}: ${state[name]?.length ?? 0}`).join(', ');
}

/** Renders the page that lists all problems. */
export function renderProblemsPage(kinds: ProblemKinds): string {
  const entries = Object.entries(kinds).map(
    ([code, { status, title }]) => `<dt><a href="/problems/${code}">${code}</a><dd>${status}: ${escapeHtml(title)}`,
  );
  return renderPage('Problems', `<h1>Problems</h1>\n<dl>\n${entries.join('\n')}\n</dl>`);
}

/** Renders the page that explains a problem. */
export function renderProblemPage(code: string, { status, title, explanation }: ProblemKind): string {
  return renderPage(
    title,
    `<h1>${escapeHtml(title)}</h1>\n<p><code>${code}</code>, status ${status}\n<p>${escapeHtml(explanation)}\n<p><a href="/problems">All problems</a>`,
  );
}

/** Renders an HTML page without scripts, fonts or images. `body`: HTML. */
function renderPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { max-width: 60rem; margin: 3rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.6rem; }
h2 { font-size: 1.2rem; }
table { display: block; overflow-x: auto; }
td { padding: 0.1rem 1rem 0.1rem 0; vertical-align: top; }
td:first-child { font-weight: 600; }
code, pre { font: 0.9rem/1.6 ui-monospace, monospace; }
pre { padding: 0.75rem 1rem; border-radius: 0.5rem; background: #8882; white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; }
dt { font-weight: 600; margin-top: 0.75rem; }
dd { margin: 0; }
</style>
${body}
</html>
`;
}

/** Escapes text for HTML content and attributes. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
