/** The pattern of sandbox ids. `control.yaml` contains the same pattern. */
export const SANDBOX_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The remedy for an invalid sandbox id: the end of an error message. */
export const SANDBOX_ID_REMEDY = 'use up to 63 lower-case letters, digits and hyphens, not starting with a hyphen';
