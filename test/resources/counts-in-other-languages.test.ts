import { expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const Article = createObject({ 'id!': INTEGER, 'nom!': TEXT });
const NewArticle = createObject({ 'nom!': TEXT });

/** `property`: a number of a list, which has articles at a path of their own. */
function createApi(property: string) {
  const Liste = createObject({
    'id!': INTEGER,
    'nom!': TEXT,
    articles: createList(refer('Article')),
    [property]: INTEGER,
  });
  return {
    paths: {
      ...createResourcePaths('/listes/{listeId}', refer('Liste'), createObject({ 'nom!': TEXT })),
      ...createResourcePaths('/listes/{listeId}/articles/{articleId}', refer('Article'), NewArticle),
    },
    schemas: { Liste, Article },
  };
}

it.each([
  'nombre_articles',
  'nombreArticles',
  'nombre_d_articles',
  'nb_articles',
  'nbArticles',
  'anzahl_articles',
  'cantidad_articles',
  'cantidadDeArticles',
  'numero_de_articles',
  'qtd_articles',
])('%s counts the articles of a list', async (property) => {
  const { ask } = await startApi(createApi(property));
  expect((await ask('POST', '/listes', { nom: 'a' })).body[property]).toBe(0);
  await ask('POST', '/listes/1/articles', { nom: 'b' });
  await ask('POST', '/listes/1/articles', { nom: 'c' });
  expect((await ask('GET', '/listes/1')).body[property]).toBe(2);
  expect((await ask('GET', '/listes')).body[0][property]).toBe(2);
});

it.each(['nombre', 'numero', 'numero_article', 'numero_articles', 'nombre_pages', 'nbarticlesx', 'articles_nombre'])(
  '%s counts nothing',
  async (property) => {
    expect((await explainApi(createApi(property)))['GET /listes/{listeId}']).not.toContain('computes');
  },
);

it('a number counts the items of a list in the entry', async () => {
  const request = createObject({ 'lignes!': createList(TEXT) });
  const Facture = createObject({ 'id!': INTEGER, 'lignes!': createList(TEXT), 'nombre_de_lignes!': INTEGER });
  const paths = createResourcePaths('/factures/{factureId}', refer('Facture'), request);
  const { ask } = await startApi({ paths, schemas: { Facture } });
  expect((await ask('POST', '/factures', { lignes: ['a', 'b'] })).body.nombre_de_lignes).toBe(2);
});
