import { createHash as createNodeHash, randomBytes } from 'node:crypto';

/** Returns a new random id, for example for a change or a server. */
export function createId(): string {
  return randomBytes(9).toString('base64url');
}

/** Returns the SHA-256 of a text, in base64url. */
export function createHash(text: string): string {
  return createNodeHash('sha256').update(text).digest('base64url');
}
