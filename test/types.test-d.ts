/**
 * What must not compile, and what must: `npx tsc` holds both, since a `@ts-expect-error` above a line without an error is one itself.
 * Nothing in here is run.
 */

import type { Order as ApiOrder, Product as ApiProduct, DeepReadonly, Options } from '../src/index.ts';
import { DomainError, type DomainErrorCode } from '../src/shop/domain/domain-error.ts';
import { type Handler, type Handlers, mocked } from '../src/shop/operations/handler.ts';
import { handlers } from '../src/shop/operations/index.ts';
import type {
  Answer,
  CartItem,
  Input,
  OperationId,
  Order,
  Output,
  PaymentSummary,
  Product,
} from '../src/shop/types.ts';

declare function takes<T>(value: T): void;
declare const order: Order;
declare const products: readonly Product[];
declare const summary: PaymentSummary;
declare const input: { readonly [Id in OperationId]: Input<Id> };

// An answer is the body and the documented headers of the operation's success.
takes<Answer<'listProducts'>>({ body: products });
takes<Answer<'createOrder'>>({ body: order, headers: { Location: '/api/orders/1' } });
takes<Answer<'resetData'>>({});
takes<Answer<'updateCartItem'>>({ body: { productId: 'p', quantity: 1, deliveryOptionId: '1' } });

// @ts-expect-error a field that the contract doesn't have
takes<Answer<'updateCartItem'>>({ body: { productId: 'p', quantity: 1, deliveryOptionId: '1', colour: 'red' } });
// @ts-expect-error a field of another type
takes<Answer<'updateCartItem'>>({ body: { productId: 'p', quantity: '1', deliveryOptionId: '1' } });
// @ts-expect-error a field is missing
takes<Answer<'updateCartItem'>>({ body: { productId: 'p', quantity: 1 } });
// @ts-expect-error the body of another operation
takes<Answer<'listProducts'>>({ body: order });
// @ts-expect-error no body where the contract has one
takes<Answer<'getPaymentSummary'>>({});
// @ts-expect-error a body where the contract has none (204)
takes<Answer<'removeCartItem'>>({ body: summary });
// @ts-expect-error a header that the contract doesn't document for the operation
takes<Answer<'listProducts'>>({ body: products, headers: { Location: '/' } });
// @ts-expect-error a header that the contract doesn't document, beside one that it does
takes<Answer<'createOrder'>>({ body: order, headers: { Location: '/', 'X-Other': '1' } });
// @ts-expect-error the documented header is missing
takes<Answer<'createOrder'>>({ body: order, headers: {} });
// @ts-expect-error all headers are missing
takes<Answer<'createOrder'>>({ body: order });
// @ts-expect-error the status is the contract's
takes<Answer<'createOrder'>>({ body: order, headers: { Location: '/' }, status: 200 });

// What the mocks and the tests rely on: the success of an operation without a body has none.
takes<Output<'resetData'> extends never ? true : false>(true);
takes<Output<'addCartItem'>>({} as CartItem);

// A handler gets the input of its operation, and nothing else.
takes<string>(input.updateCartItem.path.productId);
takes<number | undefined>(input.updateCartItem.body?.quantity);
takes<'product' | undefined>(input.listCartItems.query.expand);
takes<undefined>(input.createOrder.body);
takes<Handler<'addCartItem'>>(async ({ body: { productId, quantity } }) => ({
  body: { productId, quantity, deliveryOptionId: '1' },
}));

// @ts-expect-error a field that the request's body doesn't have
takes<unknown>(input.addCartItem.body.colour);
// @ts-expect-error the body may not have been sent
takes<unknown>(input.updateCartItem.body.quantity);
// @ts-expect-error a number is not a string
takes<string>(input.addCartItem.body.quantity);
// @ts-expect-error another name of the path's parameter
takes<unknown>(input.getOrder.path.id);
// @ts-expect-error a query parameter that the operation doesn't have
takes<unknown>(input.listProducts.query.expand);
// @ts-expect-error a value that the query parameter can't have
takes<boolean>(input.listOrders.query.expand === 'product');
// @ts-expect-error what came in is not to be changed
input.addCartItem.body.quantity = 2;
// @ts-expect-error a handler whose answer lacks a field
takes<Handler<'addCartItem'>>(({ body: { productId } }) => ({ body: { productId, deliveryOptionId: '1' } }));

// A refusal has one of the codes that the contract's problems have.
takes<DomainErrorCode>('empty-cart');
new DomainError('unknown-order', 'there is none');
// @ts-expect-error a code that is not known
new DomainError('out-of-stock', 'there is none left');

// The table of handlers has an entry for each operation, a handler or the word that it is mocked.
takes<Handlers>({ ...handlers, listOrders: mocked });
takes<Options>({ handlers: { createOrder: mocked } });
const { resetData: _, ...withoutReset } = handlers;
// @ts-expect-error an operation is missing
takes<Handlers>(withoutReset);
// @ts-expect-error a handler of another operation
takes<Handlers>({ ...handlers, getOrder: handlers.listOrders });
// A team's own operation is done by a handler of its own.
takes<Options>({ handlers: { deleteOrder: () => ({ body: {} }) } });
// @ts-expect-error another word
takes<Options>({ handlers: { createOrder: 'mocked' } });

// The exported types of the API have lists that can be changed, as typed clients expect; the server's are read-only.
declare const apiProduct: ApiProduct;
declare const apiOrder: ApiOrder;
takes<string[]>(apiProduct.keywords);
takes<Product>(apiProduct);
takes<DeepReadonly<ApiOrder>>(order);
apiOrder.products.push(...apiOrder.products);
// @ts-expect-error a list of the server is read-only
takes<ApiOrder>(order);
