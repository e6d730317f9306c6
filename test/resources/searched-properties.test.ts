import { expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const Book = createObject({
  'id!': { type: 'string', format: 'uuid' },
  'title!': TEXT,
  author: TEXT,
  genre: TEXT,
  tags: createList(TEXT),
  coverUrl: TEXT,
  website: TEXT,
  checksum: TEXT,
});
const NewBook = createObject({
  'title!': TEXT,
  author: TEXT,
  genre: TEXT,
  tags: createList(TEXT),
  coverUrl: TEXT,
  website: TEXT,
  checksum: TEXT,
});

/** `description`: the description of the query parameter `q` of a list of books. */
function createApi(description: string) {
  const books = createResourcePaths('/books/{bookId}', refer('Book'), NewBook);
  const get = { ...books['/books']?.get, query: { q: TEXT }, descriptions: { q: description } };
  return { paths: { ...books, '/books': { ...books['/books'], get } }, schemas: { Book } };
}

async function start(description: string) {
  const { ask } = await startApi(createApi(description));
  await ask('POST', '/books', { title: 'Dune', author: 'Herbert', genre: 'Novel', tags: ['desert'] });
  await ask('POST', '/books', {
    title: 'A novel life',
    coverUrl: 'https://images.test/dune.png',
    website: 'https://life.test',
    checksum: 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3',
  });
  return async (q: string) =>
    (await ask('GET', `/books?q=${q}`)).body.map(({ title }: { readonly title: string }) => title).sort();
}

it.each([
  ['Search term for title or author', 'novel', ['A novel life']],
  ['Search term for title or author', 'HERB', ['Dune']],
  ['Search term for title or author', 'desert', []],
  ['Search by book titles', 'herbert', []],
  ['Search in tags', 'desert', ['Dune']],
  ['Search term', 'novel', ['A novel life', 'Dune']],
  ['Search in all fields, such as title', 'novel', ['A novel life', 'Dune']],
  ['Full-text search query for title and author', 'novel', ['A novel life']],
  ['Full-text search on title and ISBN', 'novel', ['A novel life', 'Dune']],
  ['Full-text search', 'novel', ['A novel life', 'Dune']],
  ['Search term', 'desert', ['Dune']],
  ['Search term', 'life.test', ['A novel life']],
])('a search with the description "%s" for %s finds %j', async (description, q, expected) => {
  const search = await start(description);
  expect(await search(q)).toEqual(expected);
});

it.each([
  ['Search for available books by title (partial matching)', {}, 'q (title)'],
  ['Searches books by title or author. Needs a token.', {}, 'q (title, author)'],
  ['Search for books by title or shelf', {}, 'q (all texts)'],
  ['Search for books by genre', { genre: TEXT }, 'q (all texts)'],
  ['Search for books', {}, 'q (all texts)'],
  ['Search books, sorted by title', {}, 'q (all texts)'],
  ['Search for books sorted by title by default', {}, 'q (all texts)'],
  ['Search books written by author', {}, 'q (all texts)'],
  ['Search books ordered by title', {}, 'q (all texts)'],
  ['Search books grouped by genre', {}, 'q (all texts)'],
  ['Search books and order by title', {}, 'q (all texts)'],
  ['Search the feed by title', {}, 'q (title)'],
])(
  'a search of an operation with the description "%s" and the filters %j reads %s',
  async (description, query, expected) => {
    const { paths, schemas } = createApi('The text');
    const books = paths['/books'];
    const get = { ...books.get, description, query: { ...books.get.query, ...query } };
    const explained = await explainApi({ paths: { ...paths, '/books': { ...books, get } }, schemas });
    expect(explained['GET /books']).toContain(expected);
  },
);

it('a search finds no URLs of images and no hashes', async () => {
  const search = await start('Search term');
  expect(await search('dune')).toEqual(['Dune']);
  expect(await search('a94a8')).toEqual([]);
});

it('a search ignores accents', async () => {
  const { ask } = await startApi(createApi('Search term'));
  await ask('POST', '/books', { title: 'Café', author: 'Ana' });
  for (const q of ['cafe', 'CAFÉ']) expect((await ask('GET', `/books?q=${q}`)).body).toHaveLength(1);
});

it('a search reads the names of the entries that others show, and not their roles and addresses', async () => {
  const Author = createObject({
    'id!': { type: 'integer' },
    'name!': TEXT,
    'role!': { type: 'string', enum: ['admin', 'editor'] },
    'email!': { type: 'string', format: 'email' },
  });
  const Novel = createObject({
    'id!': { type: 'integer' },
    'title!': TEXT,
    authorId: { type: 'integer' },
    author: refer('Author'),
  });
  const novels = createResourcePaths(
    '/novels/{novelId}',
    refer('Novel'),
    createObject({ 'title!': TEXT, authorId: { type: 'integer' } }),
  );
  const get = { ...novels['/novels']?.get, query: { q: TEXT } };
  const { ask } = await startApi({
    paths: {
      ...createResourcePaths('/authors/{authorId}', refer('Author')),
      ...novels,
      '/novels': { ...novels['/novels'], get },
    },
    schemas: { Author, Novel },
  });
  await ask('POST', '/authors', { id: 1, name: 'Ann', role: 'admin', email: 'a@test.org' });
  await ask('POST', '/novels', { title: 'Emma', authorId: 1 });
  const count = async (q: string) => (await ask('GET', `/novels?q=${q}`)).body.length;
  expect(await Promise.all(['ann', 'emma', 'admin', 'test.org'].map(count))).toEqual([1, 1, 0, 0]);
});

it('the properties that a search reads are explained', async () => {
  const explain = async (description: string) => (await explainApi(createApi(description)))['GET /books'];
  expect(await explain('Search term for title or author')).toContain('filters: q (title, author)');
  expect(await explain('Search term')).toContain('filters: q (all texts)');
});

const Client = createObject({
  'id!': { type: 'integer' },
  'nom!': TEXT,
  email: TEXT,
  prenom: TEXT,
  role: TEXT,
  age: { type: 'integer' },
});

/** `description`: the description of the query parameter `search` of a list of clients. */
function createClients(description: string) {
  const clients = createResourcePaths('/clients/{clientId}', refer('Client'), Client);
  const get = { ...clients['/clients']?.get, query: { search: TEXT }, descriptions: { search: description } };
  return { paths: { ...clients, '/clients': { ...clients['/clients'], get } }, schemas: { Client } };
}

it.each([
  ['Recherche par nom ou email', 'nom, email'],
  ["Recherche par le nom, le prénom ou l'e-mail du client", 'nom, prenom, email'],
  ['Recherche par nom (insensible à la casse)', 'nom'],
  ['Buscar por nom o email', 'nom, email'],
  ['Busca por nom e prenom', 'nom, prenom'],
  ['Suche nach Nom oder Email', 'nom, email'],
  ['Nom ou email', 'nom, email'],
  ['Recherche : nom, prénom', 'nom, prenom'],
])('the search "%s" reads %s', async (description, expected) => {
  expect((await explainApi(createClients(description)))['GET /clients']).toContain(`search (${expected})`);
});

it.each([
  'Recherche',
  'Nom',
  'Texte de recherche, le nom est ignoré',
  'Recherche par nom ou téléphone',
  'Recherche par nom ou age',
  'Recherche dans tous les champs, comme nom ou email',
  'Recherche par exemple nom ou email',
  'Buscar por todos los campos, nom o email',
  'Suche in allen Feldern: Nom, Email',
])('the search "%s" reads all texts', async (description) => {
  expect((await explainApi(createClients(description)))['GET /clients']).toContain('search (all texts)');
});

it('a search finds only values of the properties that its description in another language names', async () => {
  const { ask } = await startApi(createClients('Recherche par nom ou email'));
  await ask('POST', '/clients', { id: 1, nom: 'Zoe', role: 'admin' });
  await ask('POST', '/clients', { id: 2, nom: 'Ann', email: 'admin@x.test' });
  expect((await ask('GET', '/clients?search=admin')).body).toMatchObject([{ id: 2 }]);
});
