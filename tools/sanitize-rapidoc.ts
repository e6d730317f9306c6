import { readFileSync } from 'node:fs';
import { METHODS as NODE_METHODS } from 'node:http';
import type { Plugin } from 'vite';

/** The import in src/reference whose value is the URL of RapiDoc's script. */
const IMPORT = /rapidoc\/dist\/rapidoc-min\.js\?url$/;

/**
 * The place in RapiDoc where the directive `unsafeHTML` of lit creates a template from a text. All descriptions of a document, converted from Markdown to HTML,
 * pass this place.
 */
const UNSAFE_HTML = /if\((\w)===this\.it\)return this\._t;this\.it=\1;const (\w)=\[\1\];/g;

/** The places in RapiDoc that handle a click on a link. They throw an error for a link without a target, which a sanitized text can have. */
const LINK_TARGET = /e\.target\.getAttribute\("href"\)\.startsWith\("#"\)/g;

/** The methods whose operations RapiDoc shows. */
const METHODS = '["get","put","post","delete","patch","head","options"]';

/** The other methods of HTTP that Node.js accepts, with those of OpenAPI 3.2. */
const OTHER_METHODS = NODE_METHODS.map((method) => method.toLowerCase()).filter(
  (method) => !METHODS.includes(`"${method}"`),
);

/** Creates the plugin that adds RapiDoc's script to the page, and lets it call `globalThis.sanitizeHtml` for the HTML of a document. */
export function sanitizeRapiDoc(): Plugin {
  return {
    name: 'sanitize-rapidoc',
    // Before the plugin of Vite that returns the URL of the original file.
    enforce: 'pre',
    load(id) {
      if (!IMPORT.test(id)) return undefined;
      const script = sanitize(readFileSync(id.replace('?url', ''), 'utf8'));
      const reference = this.emitFile({ type: 'asset', name: 'rapidoc.js', source: script });
      return `export default import.meta.ROLLUP_FILE_URL_${reference};`;
    },
  };
}

/** Returns the script of RapiDoc with calls of `globalThis.sanitizeHtml`. Throws an error if this version of RapiDoc has not exactly one place for it. */
function sanitize(script: string): string {
  const places = script.match(UNSAFE_HTML) ?? [];
  if (places.length !== 1)
    throw new Error(
      `rapidoc has ${places.length} places that create HTML from a text, and not 1: adapt tools/sanitize-rapidoc.ts`,
    );
  if (!script.includes(METHODS)) throw new Error('rapidoc has no list of methods: adapt tools/sanitize-rapidoc.ts');
  return script
    .replace(METHODS, JSON.stringify([...JSON.parse(METHODS), ...OTHER_METHODS]))
    .replace(
      UNSAFE_HTML,
      (_, text, strings) =>
        `if(${text}===this.it)return this._t;this.it=${text};const ${strings}=[globalThis.sanitizeHtml(${text})];`,
    )
    .replace(LINK_TARGET, 'e.target.getAttribute("href")?.startsWith("#")');
}
