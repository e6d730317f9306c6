import { redactText } from './redact-secrets.ts';

/** Returns whether a contract is named by a URL, and not by a path. */
export function isUrl(path: string): boolean {
  return /^https?:\/\//i.test(path);
}

/** Returns a URL without the user name, the password and other secrets. A path stays as it is. */
export function hideCredentials(path: string): string {
  if (!isUrl(path)) return path;
  if (!URL.canParse(path)) return redactText(path);
  const url = new URL(path);
  url.username = '';
  url.password = '';
  return redactText(url.href);
}
