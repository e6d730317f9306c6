/** Returns a path template without the names of its parameters: `/pets/{}` for `/pets/{petId}`. Templates with the same result have the same form. */
export function toPattern(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}');
}

/** Returns whether a text can be a segment of a path. An empty segment is lost, and clients remove `.` and `..` (RFC 3986, section 5.2.4). */
export function isPathSegment(text: string): boolean {
  return !['', '.', '..'].includes(text);
}
