/** Why nothing more can be judged: `message` is the end of a sentence that begins with "the check ended early: ". */
export class CheckStoppedError extends Error {
  override readonly name: string = 'Stopped';
}

/** A server that takes connections and answers no more, which breaks the contract. */
export class ServerSilentError extends CheckStoppedError {
  override readonly name = 'Silent';
}

/** A server that is not there any more, of which nothing can be told. */
export class ServerGoneError extends CheckStoppedError {
  override readonly name = 'Gone';
}
