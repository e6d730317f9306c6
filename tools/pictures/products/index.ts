import type { Shape } from '../shape.ts';
import * as accessories from './accessories.ts';
import * as beauty from './beauty.ts';
import * as clothing from './clothing.ts';
import * as electronics from './electronics.ts';
import * as footwear from './footwear.ts';
import * as gardenTools from './garden-tools.ts';
import * as home from './home.ts';
import * as kitchen from './kitchen.ts';
import * as play from './play.ts';
import * as sports from './sports.ts';

/**
 * How each product is drawn, by the name of its function: `fryingPan` is served as `frying-pan.svg`. To add a
 * product, export a function from the file of its kind; place and size do not matter, since each is framed at the end.
 */
export const products: Readonly<Record<string, () => Shape>> = {
  ...kitchen,
  ...clothing,
  ...accessories,
  ...footwear,
  ...sports,
  ...home,
  ...electronics,
  ...gardenTools,
  ...play,
  ...beauty,
};
