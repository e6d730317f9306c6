/** The target of a request. */
export interface Target {
  /** The path, percent-encoded as in a URI, for the property `instance` of a problem document. */
  readonly path: string;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** Parses the target of a request, for example `/api/orders?limit=1`. The target can also be an absolute URL. */
export function getTarget(url: string): Target {
  const [, path = '', query = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)\??(.*)$/is.exec(url) ?? [];
  const segments = path.replace(/^\//, '').replace(/\/$/, '').split('/');
  return { path: escaped(path), segments, query: new URLSearchParams(query) };
}

/** Decodes a segment of the path. Returns undefined if it contains an invalid percent-encoding. */
export function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function escaped(path: string): string {
  const whole = path.replace(/%(?![0-9a-f]{2})/gi, '%25');
  return whole.replace(/[^\w\-.~!$&'()*+,;=:@/%]/gu, (letter) => encodeURIComponent(letter)) || '/';
}
