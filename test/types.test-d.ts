/** Tests of types, which `npx tsc` checks: what must compile, and what must not (an unused `@ts-expect-error` is an error). Nothing is run. */

import { mocked } from '../src/application.ts';
import {
  DomainError as AnyDomainError,
  type ApiHandler,
  type Order as ApiOrder,
  type Product as ApiProduct,
  createStorefront,
  type DeepReadonly,
  type Options,
} from '../src/index.ts';
import { DomainError, type DomainErrorCode } from '../src/shop/domain/domain-error.ts';
import type { Handler, Handlers } from '../src/shop/operations/handler.ts';
import { handlers } from '../src/shop/operations/handlers.ts';
import type {
  CartItem,
  Input,
  OperationId,
  OperationResponse,
  Order,
  Output,
  PaymentSummary,
  Product,
} from '../src/shop/types.ts';
import { startStorefront } from '../src/testing/in-process.ts';
import { type StorefrontFixtures, storefrontFixtures } from '../src/testing/playwright.ts';

declare function takes<T>(value: T): void;
declare const order: Order;
declare const products: readonly Product[];
declare const summary: PaymentSummary;
declare const input: { readonly [Id in OperationId]: Input<Id> };

// The response of a handler has the body and the documented headers of the operation's success.
takes<OperationResponse<'listProducts'>>({ body: products });
takes<OperationResponse<'createOrder'>>({ body: order, headers: { Location: '/api/orders/1' } });
takes<OperationResponse<'resetData'>>({});
takes<OperationResponse<'updateCartItem'>>({ body: { productId: 'p', quantity: 1, deliveryOptionId: '1' } });

takes<OperationResponse<'updateCartItem'>>({
  // @ts-expect-error a field that the contract doesn't have
  body: { productId: 'p', quantity: 1, deliveryOptionId: '1', colour: 'red' },
});
// @ts-expect-error a field of another type
takes<OperationResponse<'updateCartItem'>>({ body: { productId: 'p', quantity: '1', deliveryOptionId: '1' } });
// @ts-expect-error a field is missing
takes<OperationResponse<'updateCartItem'>>({ body: { productId: 'p', quantity: 1 } });
// @ts-expect-error the body of another operation
takes<OperationResponse<'listProducts'>>({ body: order });
// @ts-expect-error the body that the contract requires is missing
takes<OperationResponse<'getPaymentSummary'>>({});
// @ts-expect-error a body for a status without one (204)
takes<OperationResponse<'removeCartItem'>>({ body: summary });
// @ts-expect-error a header that the contract doesn't document for the operation
takes<OperationResponse<'listProducts'>>({ body: products, headers: { Location: '/' } });
// @ts-expect-error a header that the contract doesn't document in addition to one that it does
takes<OperationResponse<'createOrder'>>({ body: order, headers: { Location: '/', 'X-Other': '1' } });
// @ts-expect-error the documented header is missing
takes<OperationResponse<'createOrder'>>({ body: order, headers: {} });
// @ts-expect-error the property headers is missing
takes<OperationResponse<'createOrder'>>({ body: order });
// @ts-expect-error handlers of the contract's operations do not choose the status
takes<OperationResponse<'createOrder'>>({ body: order, headers: { Location: '/' }, status: 200 });

// The output of an operation without a response body is never.
takes<Output<'resetData'> extends never ? true : false>(true);
takes<Output<'addCartItem'>>({} as CartItem);

// A handler receives the input of its operation.
takes<string>(input.updateCartItem.path.productId);
takes<number | undefined>(input.updateCartItem.body?.quantity);
takes<string | undefined>(input.listCartItems.query.expand);
takes<undefined>(input.createOrder.body);
takes<Handler<'addCartItem'>>(async ({ body: { productId, quantity } }) => ({
  body: { productId, quantity, deliveryOptionId: '1' },
}));

// @ts-expect-error a field that the request's body doesn't have
takes<unknown>(input.addCartItem.body.colour);
// @ts-expect-error the body is optional
takes<unknown>(input.updateCartItem.body.quantity);
// @ts-expect-error a number is not a string
takes<string>(input.addCartItem.body.quantity);
// @ts-expect-error a path parameter with another name
takes<unknown>(input.getOrder.path.id);
// @ts-expect-error a query parameter that the operation doesn't have
takes<unknown>(input.listProducts.query.expand);
// @ts-expect-error the input is read-only
input.addCartItem.body.quantity = 2;
// @ts-expect-error a handler whose answer lacks a field
takes<Handler<'addCartItem'>>(({ body: { productId } }) => ({ body: { productId, deliveryOptionId: '1' } }));

// A DomainError has one of the problem codes of the contract.
takes<DomainErrorCode>('empty-cart');
new DomainError('unknown-order', 'there is none');
// @ts-expect-error an unknown code
new DomainError('out-of-stock', 'there is none left');

// A handler of a user can also throw a problem of the resources of another contract.
new AnyDomainError('entry-not-found', 'there is none');
new AnyDomainError('unknown-order', 'there is none');
// @ts-expect-error an unknown code
new AnyDomainError('out-of-stock', 'there is none left');

// The table of handlers has a handler or `mocked` for each operation.
takes<Handlers>({ ...handlers, listOrders: mocked });
takes<Options>({ handlers: { createOrder: mocked } });
const { resetData: _, ...withoutReset } = handlers;
// @ts-expect-error an operation is missing
takes<Handlers>(withoutReset);
// @ts-expect-error a handler of another operation
takes<Handlers>({ ...handlers, getOrder: handlers.listOrders });
// An operation of another contract can have a handler.
takes<Options>({ handlers: { deleteOrder: () => ({ body: {} }) } });
// @ts-expect-error a string instead of the symbol `mocked`
takes<Options>({ handlers: { createOrder: 'mocked' } });

// The exported types of the API have mutable arrays, as typed clients expect. Those of the server are read-only.
declare const apiProduct: ApiProduct;
declare const apiOrder: ApiOrder;
takes<string[]>(apiProduct.keywords);
takes<Product>(apiProduct);
takes<DeepReadonly<ApiOrder>>(order);
apiOrder.products.push(...apiOrder.products);
// @ts-expect-error a read-only array of the server
takes<ApiOrder>(order);

/** A pet of another contract. The types have the form that openapi-typescript generates. */
interface Pet {
  id: number;
  name: string;
  status?: 'free' | 'sold';
}

interface operations {
  listPets: {
    parameters: { query?: { limit?: number; tags?: string[]; sort?: 'name' | 'id' }; path?: never };
    requestBody?: never;
    responses: { 200: { headers: { [name: string]: unknown }; content: { 'application/json': Pet[] } } };
  };
  createPet: {
    parameters: { query?: never; path?: never };
    requestBody: { content: { 'application/vnd.pets+json': Omit<Pet, 'id'> } };
    responses: {
      201: { content: { 'application/json': Pet } };
      409: { content: { 'application/problem+json': { title: string } } };
      default: { content: { 'text/plain': string } };
    };
  };
  deletePet: { parameters: { path: { petId: number } }; responses: { 204: { content?: never } } };
  sellPet: {
    parameters: { path: { petId: number } };
    responses: { 200: { content: { 'application/json': Pet } }; 404: { content?: never } };
  };
  pingPet: { responses: { '2XX': { content: { 'application/json': Pet } }; default: { content?: never } } };
  watchPets: { responses: { 200: { content: { 'text/event-stream': Pet } } } };
}

type Pets = { operations: operations; state: { pets: Pet[]; toys: { id: string }[] } };
type SellPet = ApiHandler<operations['sellPet'], Pets>;

async function serveAnyContract() {
  await createStorefront<Pets>({
    contract: 'pets.yaml',
    handlers: {
      // A handler gets parameters as texts, the body of any media type, and the typed state.
      listPets({ query, body }, { read }) {
        takes<`${number}` | undefined>(query.limit);
        takes<'name' | 'id' | undefined>(query.sort);
        takes<undefined>(body);
        // @ts-expect-error a parameter is a text, not a number
        takes<number>(query.limit);
        return { body: read().pets };
      },
      async createPet({ body }, { update }) {
        const pet = await update((state, nowMs) => {
          const result = { id: nowMs, name: body.name };
          return { next: { ...state, pets: [...state.pets, result] }, result };
        });
        if (pet.name === '') return { status: 409, body: { title: 'There is one' } };
        if (pet.name === 'x') return { status: 500, body: 'text' };
        return { status: 201, body: pet };
      },
      deletePet: mocked,
      // A stream can be an async iterable.
      watchPets: (_, { changes }) => ({ body: changes() }),
      // The function that changes the state can return a response.
      sellPet({ path }, { update }) {
        return update((state) => {
          const pet = state.pets.find(({ id }) => id === Number(path.petId));
          if (!pet) return { result: { status: 404 } };
          const sold = { ...pet, status: 'sold' } as const;
          const pets = state.pets.map((other) => (other === pet ? sold : other));
          return { next: { ...state, pets }, result: { body: sold } };
        });
      },
      // An operation without an operationId has any handler.
      getToysById: () => ({ body: {} }),
    },
  });
  // The handler of one operation has the types of the API.
  takes<SellPet>((_, { update }) => update(({ pets: [pet] }) => ({ result: pet ? { body: pet } : { status: 404 } })));
  // The response of the server is a success, because the server rejects otherwise.
  takes<SellPet>((_, { builtIn }) => builtIn());
  takes<ApiHandler<operations['createPet']>>(async (_, { builtIn }) => {
    const { status, body } = await builtIn();
    takes<201>(status);
    return { status, body: { ...body, name: `${body.name}!` } };
  });
  takes<ApiHandler<operations['deletePet']>>(async (_, { builtIn }) => builtIn());
  takes<ApiHandler<operations['watchPets']>>(async (_, { builtIn }) => ({ body: (await builtIn()).body }));
  takes<ApiHandler<operations['pingPet']>>((_, { builtIn }) => builtIn());
  takes<SellPet>(async (_, { builtIn }) => {
    const { body } = await builtIn();
    // @ts-expect-error the body of the server is read-only
    body.name = 'Max';
    return { body };
  });
  // @ts-expect-error a status that the contract does not document
  takes<SellPet>((_, { update }) => update(() => ({ result: { status: 409 } })));
  // @ts-expect-error a state with an entry of another type
  takes<SellPet>((_, { update }) => update(({ toys }) => ({ next: { pets: [1], toys }, result: { status: 404 } })));
  // @ts-expect-error a body that the contract does not document for the status
  takes<ApiHandler<operations['createPet']>>(() => ({ status: 409, body: { id: 1, name: 'Rex' } }));
  // @ts-expect-error a body of another operation
  takes<Options<Pets>>({ handlers: { listPets: () => ({ body: { id: 1, name: 'Rex' } }) } });
  // @ts-expect-error an async iterable for an operation without a stream
  takes<Options<Pets>>({ handlers: { listPets: (_, { changes }) => ({ body: changes() }) } });
  // @ts-expect-error a path parameter with another name
  takes<Options<Pets>>({ handlers: { deletePet: ({ path }) => ({ headers: { id: path.id } }) } });
  // The types of `paths` alone determine no operationIds.
  await createStorefront<{ '/pets': { get: operations['listPets'] } }>({
    handlers: { listPets: () => ({ body: [] }) },
  });
}

async function testAnyContract() {
  const server = await startStorefront<Pets>({ contract: 'pets.yaml' });
  const sandbox = await server.sandbox();
  await sandbox.setState({ pets: [{ id: 1, name: 'Rex' }] });
  // @ts-expect-error a collection that the state does not have
  await sandbox.setState({ products: [] });
  // @ts-expect-error an entry of another collection
  await sandbox.setState({ pets: [{ id: 'ball' }] });
  takes<string | undefined>((await server.default.state()).pets[0]?.name);
  // Without types, the lists of another contract can be read as any lists.
  const untyped = await startStorefront<object>({ contract: 'pets.yaml' });
  takes<unknown>((await untyped.default.state()).pets?.[0]?.name);
  // By default, the state is that of the shop.
  takes<ApiProduct[]>((await (await startStorefront()).default.state()).products);
  takes<StorefrontFixtures<Pets>['shop']>(
    {} as Awaited<ReturnType<typeof server.sandbox>> & { enter(): Promise<void> },
  );
  storefrontFixtures<Pets>({ server: 'http://localhost:3000', by: 'header' });
}

takes<unknown>([serveAnyContract, testAnyContract]);
