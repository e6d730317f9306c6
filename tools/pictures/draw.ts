import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { favicons } from './marks/favicons.ts';
import { icons } from './marks/icons.ts';
import { logos } from './marks/logo.ts';
import { ratingStrip, tenfoldRatings } from './marks/ratings.ts';
import { png, productSvg } from './picture.ts';
import { products } from './products/index.ts';

/*
 * Draws all pictures that the storefront serves into the folder `images/`, and deletes pictures that no function draws.
 * The files are the same, byte for byte, at each run.
 */

const imagesFolder = fileURLToPath(new URL('../../images/', import.meta.url));

/** The width of a rating strip, in pixels. Pages show it with a third of this width. */
const ratingWidthPx = 300;

/** The width of a favicon, in pixels. High-density screens show it with half of this width. */
const faviconWidthPx = 64;

/** Converts a function name to a file name: `fryingPan` becomes `frying-pan`. */
const kebabCase = (name: string): string => name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);

function allPictures(): readonly (readonly [path: string, content: string | Buffer])[] {
  return [
    ...Object.entries(products).map(([name, draw]) => [`products/${kebabCase(name)}.svg`, productSvg(draw())] as const),
    ...tenfoldRatings.map(
      (tenfold) => [`ratings/rating-${tenfold}.png`, png(ratingStrip(tenfold), ratingWidthPx)] as const,
    ),
    ...icons.map(([name, widthPx, mark]) => [`icons/${name}.png`, png(mark, widthPx)] as const),
    ...favicons.map(([name, mark]) => [`${name}.png`, png(mark, faviconWidthPx)] as const),
    ...logos.map(([name, widthPx, mark]) => [`${name}.png`, png(mark, widthPx)] as const),
  ];
}

const pictures = allPictures();
rmSync(imagesFolder, { recursive: true, force: true });
for (const [path, content] of pictures) {
  mkdirSync(dirname(join(imagesFolder, path)), { recursive: true });
  writeFileSync(join(imagesFolder, path), content);
}
console.log(`${pictures.length} pictures in ${imagesFolder}`);
