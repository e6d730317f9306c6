import type { ProblemKind } from '../application.ts';
import type { ProblemKinds } from './problem.ts';

/** Renders the HTML page that lists all problems (types of error responses). */
export function renderProblemsPage(kinds: ProblemKinds): string {
  const rows = Object.entries(kinds).map(
    ([code, { status, title }]) =>
      `<tr><td>${status}<td><a href="/problems/${code}">${code}</a><td>${escapeHtml(title)}`,
  );
  return renderPage(
    'Problems',
    `<h1>Problems</h1>
<p>Each error response of this server has one of these types. The property <code>type</code> of an error response is the path of the page that describes the error.
<table>
<thead><tr><th scope="col">Status<th scope="col">Type<th scope="col">Title
<tbody>
${rows.join('\n')}
</table>`,
  );
}

/** Renders the HTML page that explains a problem (a type of error response). */
export function renderProblemPage(code: string, { status, title, explanation }: ProblemKind): string {
  return renderPage(
    title,
    `<h1>${escapeHtml(title)}</h1>\n<p><code>${code}</code>, status ${status}\n<p>${escapeHtml(explanation)}`,
  );
}

/** Renders an HTML page without scripts, fonts or images. `title`: plain text. `body`: HTML. */
function renderPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; font: 15px/1.6 system-ui, sans-serif; color: light-dark(#1c2430, #e6e9ee); background: light-dark(#f5f6f8, #12161c); }
body { max-width: 60rem; margin: 0 auto; padding: 1rem 1.25rem 3rem; }
nav { display: flex; gap: 1.25rem; padding-bottom: 1rem; border-bottom: 1px solid light-dark(#d9dde3, #2c333d); }
a { color: light-dark(#1a56c4, #82aefc); }
h1 { margin: 1.5rem 0 0.5rem; font-size: 1.6rem; }
code { font: 0.9rem/1.6 ui-monospace, monospace; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.4rem 1rem 0.4rem 0; border-bottom: 1px solid light-dark(#d9dde3, #2c333d); text-align: left; vertical-align: top; }
</style>
<nav><a href="/_console/">Console</a><a href="/_docs">API reference</a><a href="/problems">All problems</a></nav>
<main>
${body}
</main>
</html>
`;
}

/** Escapes text for HTML content and attributes. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
