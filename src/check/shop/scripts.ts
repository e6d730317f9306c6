import { LISTS } from './looks.ts';
import type { Step } from './perform.ts';
import { rightRequests } from './right-requests.ts';
import { UNKNOWN_ID } from './steps.ts';
import { wrongRequests } from './wrong-requests.ts';

/** Something in the cart, whatever the default data has. */
const STOCKED: readonly Step[] = [
  { do: 'add', product: 0, quantity: 1 },
  { do: 'add', product: 1, quantity: 2 },
];

/** What leads to each documented status but those of wrong requests, in sequences that are as short as they can be. */
const PROVOKING: readonly (readonly Step[])[] = [
  ...LISTS.map((list): Step[] => [{ do: 'look', list, isExpanded: false }]),
  ...LISTS.slice(1, -1).map((list): Step[] => [
    ...STOCKED,
    { do: 'order' },
    ...STOCKED,
    { do: 'look', list, isExpanded: true },
  ]),
  [...STOCKED],
  [...STOCKED, { do: 'add', product: 0, quantity: 10 }],
  [...STOCKED, { do: 'change', product: 0, option: 1 }, { do: 'add', product: 0, quantity: 10 }],
  [...STOCKED, { do: 'change', product: 0, option: 1 }, { do: 'remove', product: 0 }, ...STOCKED],
  Array.from({ length: 15 }, (_, product): Step => ({ do: 'add', product, quantity: 1 })),
  Array.from({ length: 7 }, (): Step[] => [...STOCKED, { do: 'order' }]).flat(),
  [{ do: 'add unknown' }],
  [{ do: 'add beyond', product: 0 }],
  [...STOCKED, { do: 'change', product: 0, quantity: 12 }],
  [...STOCKED, { do: 'change', product: 0, option: 1 }],
  [...STOCKED, { do: 'change', product: 1, option: 1, isNumber: true }],
  [...STOCKED, { do: 'change', product: 0, quantity: 3, option: 2 }],
  [...STOCKED, { do: 'change', product: 0 }],
  [...STOCKED, { do: 'change to unknown option', product: 0, quantity: 4 }],
  [{ do: 'change', product: 4, quantity: 1 }],
  [...STOCKED, { do: 'remove', product: 0 }],
  [...STOCKED, { do: 'remove', product: 0 }, { do: 'remove', product: 0 }],
  [{ do: 'remove', product: 4 }],
  [...STOCKED, { do: 'order' }],
  [...STOCKED, { do: 'order' }, { do: 'order' }],
  [...STOCKED, { do: 'order' }, ...STOCKED, { do: 'order' }, { do: 'read order', order: 1, isExpanded: false }],
  [...STOCKED, { do: 'order' }, { do: 'read order', order: 0, isExpanded: true }],
  [{ do: 'read unknown order' }],
  [{ do: 'reset' }],
  [...STOCKED, { do: 'reset' }],
  [...STOCKED, { do: 'order' }, { do: 'reset' }],
];

/** Every sequence that is played whatever chance has it: what leads to each documented status, each wrong request, and each that is odd and right. */
export const SCRIPTS: readonly (readonly Step[])[] = [
  ...PROVOKING,
  ...wrongRequests(UNKNOWN_ID).map((_, which): Step[] => [...STOCKED, { do: 'break', which }]),
  ...rightRequests(UNKNOWN_ID, UNKNOWN_ID).map((_, which): Step[] => [...STOCKED, { do: 'ask rightly', which }]),
];
