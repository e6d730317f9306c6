/** The pattern of valid sandbox ids. The file `control.yaml` contains the same pattern. */
export const SANDBOX_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The end of the error message for an invalid sandbox id: what to do. */
export const SANDBOX_ID_REMEDY = 'use up to 63 lower-case letters, digits and hyphens, not starting with a hyphen';
