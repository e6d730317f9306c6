/**
 * Returns whether a header describes the connection or the length of a message, such as `Connection` or `Content-Length`. The server sets these headers itself.
 */
export function isMessageHeader(name: string): boolean {
  return /^(connection|content-length|keep-alive|te|trailer|transfer-encoding|upgrade)$/i.test(name);
}
