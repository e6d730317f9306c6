/** Tests of types, which `npx tsc` checks: what must compile, and what must not (an unused `@ts-expect-error` is an error). Nothing is run. */

import { mocked } from '../src/application.ts';
import type { Order as ApiOrder, Product as ApiProduct, DeepReadonly, Options } from '../src/index.ts';
import { DomainError, type DomainErrorCode } from '../src/shop/domain/domain-error.ts';
import type { Handler, Handlers } from '../src/shop/operations/handler.ts';
import { handlers } from '../src/shop/operations/index.ts';
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
takes<'product' | undefined>(input.listCartItems.query.expand);
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
// @ts-expect-error a value that the query parameter does not allow
takes<boolean>(input.listOrders.query.expand === 'product');
// @ts-expect-error the input is read-only
input.addCartItem.body.quantity = 2;
// @ts-expect-error a handler whose answer lacks a field
takes<Handler<'addCartItem'>>(({ body: { productId } }) => ({ body: { productId, deliveryOptionId: '1' } }));

// A DomainError has one of the problem codes of the contract.
takes<DomainErrorCode>('empty-cart');
new DomainError('unknown-order', 'there is none');
// @ts-expect-error an unknown code
new DomainError('out-of-stock', 'there is none left');

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
