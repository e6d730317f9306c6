/** The pattern of sandbox ids. `control.yaml` has the same. */
export const SANDBOX_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** What an invalid sandbox id should be, for messages. */
export const SANDBOX_ID_REMEDY = 'use up to 63 lower-case letters, digits and hyphens, not starting with a hyphen';
