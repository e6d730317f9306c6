import type { Handler } from './handler.ts';

/** Restores the default data. */
export const resetData: Handler<'resetData'> = async (_input, shop) => {
  await shop.reset();
  return {};
};
