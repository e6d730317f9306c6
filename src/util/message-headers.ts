/** Whether a header belongs to the message or the connection, so that the server itself writes it. */
export function isMessageHeader(name: string): boolean {
  return /^(connection|content-length|keep-alive|te|trailer|transfer-encoding|upgrade)$/i.test(name);
}
