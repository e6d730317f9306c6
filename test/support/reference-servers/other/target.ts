/** Where a request goes, as its first line has it. */
export interface Target {
  /** As a URI may hold it, for `instance`. */
  readonly path: string;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** Reads the target of a request, in origin form or in absolute form. */
export function targetOf(url: string): Target {
  const [, path = '', query = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)\??(.*)$/is.exec(url) ?? [];
  const segments = path.replace(/^\//, '').replace(/\/$/, '').split('/');
  return { path: escaped(path), segments, query: new URLSearchParams(query) };
}

/** A part of the path without its escapes, or undefined where they are broken. */
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
