/** Returns whether responses with a status have no body (RFC 9110, sections 15.3.5 and 15.4.5). */
export function isBodilessStatus(status: number): boolean {
  return status === 204 || status === 304;
}
