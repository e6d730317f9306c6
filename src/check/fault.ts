/** A check that can't be made, or not so: `message` says why, and what to do. */
export class CheckFault extends Error {
  override readonly name = 'CheckFault';
}
