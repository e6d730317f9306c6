import type { Table } from '../application-views.ts';
import type { Entry } from '../store/state.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { findDeliveryOption, findProduct } from './domain/catalogue.ts';
import { computePaymentSummary } from './domain/pricing.ts';
import type { State } from './state.ts';
import type { CartItem, DeliveryOption, Order, Product } from './types.ts';

/** The tables in which the console shows the data of the shop: products, delivery options, cart items and orders. */
export const tables: Readonly<Record<keyof State, Table<State>>> = {
  products: createTable<Product>(
    {
      Picture: 'image',
      Name: 'text',
      Price: 'money',
      Rating: 'number',
      Ratings: 'number',
      Keywords: 'text',
    },
    ({ image, name, priceCents, rating, keywords }) => [
      toUrl(image),
      name,
      priceCents,
      rating.stars,
      rating.count,
      keywords.join(', '),
    ],
  ),
  deliveryOptions: createTable<DeliveryOption>(
    { Id: 'text', Days: 'number', Price: 'money' },
    ({ id, deliveryDays, priceCents }) => [id, deliveryDays, priceCents],
  ),
  cartItems: {
    ...createTable<CartItem>(
      { Picture: 'image', Name: 'text', Price: 'money', Quantity: 'number', Delivery: 'text', Shipping: 'money' },
      ({ productId, quantity, deliveryOptionId }, state) => {
        const { image, name, priceCents } = findProduct(state, productId);
        const option = findDeliveryOption(state, deliveryOptionId);
        return [toUrl(image), name, priceCents, quantity, describeDelivery(option), option.priceCents];
      },
    ),
    summarize: summarizeCart,
  },
  orders: createTable<Order>(
    { Time: 'time', Products: 'number', Total: 'money', Id: 'text' },
    ({ id, orderTimeMs, totalCostCents, products }) => [
      toIsoTime(orderTimeMs),
      products.reduce((sum, { quantity }) => sum + quantity, 0),
      totalCostCents,
      id,
    ],
  ),
};

/** Creates a table. `formats`: the format of each column by its title, such as `{ Price: 'money' }`. `getCells`: returns the values in the row of an entry. */
function createTable<Row>(
  formats: Readonly<Record<string, Table['columns'][number]['format']>>,
  getCells: (entry: Row, state: State) => readonly unknown[],
): Table<State> {
  return {
    columns: Object.entries(formats).map(([title, format]) => ({ title, format })),
    // This cast is safe: the server validates the entries of a state.
    getCells: (entry: Entry, state) => getCells(entry as Row, state),
  };
}

/** Converts the image path of a product to a URL of this server: `images/mug.svg` becomes `/images/mug.svg`. Returns an absolute URL or path unchanged. */
function toUrl(image: string): string {
  return /^([a-z][a-z\d+.-]*:|\/)/i.test(image) ? image : `/${image}`;
}

function describeDelivery({ deliveryDays }: DeliveryOption): string {
  return deliveryDays === 1 ? '1 day' : `${deliveryDays} days`;
}

function summarizeCart(state: State): ReturnType<NonNullable<Table['summarize']>> {
  const summary = computePaymentSummary(state.cartItems, state);
  return [
    { title: 'Items', value: summary.totalItems, format: 'number' },
    { title: 'Products', value: summary.productCostCents, format: 'money' },
    { title: 'Shipping', value: summary.shippingCostCents, format: 'money' },
    { title: 'Tax', value: summary.taxCents, format: 'money' },
    { title: 'Total', value: summary.totalCostCents, format: 'money' },
  ];
}
