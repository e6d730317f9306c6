import type * as api from './api-types.ts';
import type { DeepReadonly } from './types.ts';

/** The state of the shop, read-only as the server uses it: the shape of db.json. */
export type State = DeepReadonly<api.State>;
