/** Response headers: values by name. */
export type Headers = Readonly<Record<string, string>>;

/** An empty object that all responses without additional headers share. */
export const NO_HEADERS: Headers = {};

/** The headers of every response, including files and pages. */
export const COMMON_HEADERS: Headers = {
  'X-Content-Type-Options': 'nosniff',
  // Pages of other origins can read responses with CORS only. The responses with images override this.
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The headers of every JSON response, in addition to the common ones. */
export const DATA_HEADERS: Headers = {
  // The state can change at any time.
  'Cache-Control': 'no-store',
  // A response that is opened as a document loads nothing, and no page can embed it in a frame.
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/** The media type of JSON. It has no charset parameter (RFC 8259), and dredd compares the text with the contract. */
export const JSON_TYPE = 'application/json';
