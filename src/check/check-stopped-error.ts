/** Stops a check; its message completes "The check stopped early: ". */
export class CheckStoppedError extends Error {
  override readonly name: string = 'Stopped';
}

/** The server accepts connections but no longer responds, which violates the contract. */
export class ServerSilentError extends CheckStoppedError {
  override readonly name = 'Silent';
}

/** The server is gone; nothing more can be checked. */
export class ServerGoneError extends CheckStoppedError {
  override readonly name = 'Gone';
}
