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
