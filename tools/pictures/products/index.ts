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
 * The drawing functions of the products by name. The picture of `fryingPan` is `frying-pan.svg`. To add a product, export a function from the file of
 * its kind. Position and size of the drawing do not matter, because each picture is centred and scaled at the end.
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
