// A minimal front end that lists products, adds them to the cart and orders. `?api=ORIGIN` sends its API requests to another origin.
const api = new URLSearchParams(location.search).get('api') ?? '';
const send = async (method, path, body) => {
  const response = await fetch(`${api}/api/${path}`, {
    method,
    credentials: 'include',
    ...(body ? { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) } : {}),
  });
  const data = response.status === 204 ? undefined : await response.json();
  return { data, location: response.headers.get('Location'), ok: response.ok };
};
const show = (id, text) => {
  document.getElementById(id).textContent = text;
};
const showCart = async () => show('cart', (await send('GET', 'payment-summary')).data.totalItems);

const showToday = () => show('today', new Date().toISOString());
setInterval(showToday, 1000);
showToday();

const { data: products } = await send('GET', 'products');
for (const { id, name, image } of products) {
  const item = document.createElement('li');
  const picture = Object.assign(new Image(100, 100), { src: `${api}/${image}`, alt: name });
  const button = Object.assign(document.createElement('button'), { textContent: `Add ${name}` });
  button.onclick = async () => {
    const { ok, data } = await send('POST', 'cart-items', { productId: id, quantity: 1 });
    show('message', ok ? `${name} added` : data.message);
    await showCart();
  };
  item.append(picture, button);
  document.getElementById('products').append(item);
}
const order = Object.assign(document.createElement('button'), { textContent: 'Order' });
order.onclick = async () => {
  const { ok, data, location } = await send('POST', 'orders');
  show('message', ok ? `ordered: ${location}` : data.message);
  if (ok) show('ordered', new Date(data.orderTimeMs).toISOString());
  await showCart();
};
document.body.append(order);
await showCart();
