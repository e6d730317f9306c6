/** The target of a request. */
export interface Target {
  /** Percent-encoded as in a URI, for `instance`. */
  readonly path: string;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** Parses the target of a request, in origin form or in absolute form. */
export function targetOf(url: string): Target {
  const [, path = '', query = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)\??(.*)$/is.exec(url) ?? [];
  const segments = path.replace(/^\//, '').replace(/\/$/, '').split('/');
  return { path: escaped(path), segments, query: new URLSearchParams(query) };
}

/** Decodes a part of the path; undefined if a percent escape is invalid. */
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
