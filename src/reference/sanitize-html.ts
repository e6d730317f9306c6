import createDOMPurify from 'dompurify';

/**
 * Elements and attributes that are allowed for HTML in general, but not in the descriptions of a document: they could
 * send data, or cover the page and look like a part of it.
 */
const FORBIDDEN = {
  FORBID_TAGS: ['style', 'form', 'input', 'button', 'select', 'textarea', 'option', 'optgroup', 'datalist', 'dialog'],
  FORBID_ATTR: ['style', 'autofocus', 'popover', 'popovertarget', 'slot', 'is'],
};

/**
 * Returns HTML without scripts, event handlers, frames, forms, styles, SVG and links that run scripts.
 * RapiDoc calls this function for each text that it shows as HTML (tools/sanitize-rapidoc.ts).
 */
export function sanitizeHtml(html: string): string {
  return createDOMPurify.sanitize(html, { USE_PROFILES: { html: true }, ...FORBIDDEN });
}
