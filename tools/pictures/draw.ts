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
 * Draws every picture that the storefront serves into `images/` of the repository, and clears away the pictures
 * that nothing draws any more. The same drawings give the same bytes.
 */

const imagesFolder = fileURLToPath(new URL('../../images/', import.meta.url));

/** Width of a rating strip: three times that at which pages show it. */
const ratingWidthPx = 300;

/** Width of a favicon: twice that at which a dense screen shows it. */
const faviconWidthPx = 64;

/** `fryingPan` → `frying-pan` */
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
