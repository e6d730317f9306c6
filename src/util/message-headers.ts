/** Returns whether a header describes the message or the connection: the server writes it, and a response must not set it. */
export function isMessageHeader(name: string): boolean {
  return /^(connection|content-length|keep-alive|te|trailer|transfer-encoding|upgrade)$/i.test(name);
}
