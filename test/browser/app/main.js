// The smallest front end that lists, adds and orders. `?api=ORIGIN` has it ask another origin than its own.
const api = new URLSearchParams(location.search).get('api') ?? '';
const ask = async (method, path, body) => {
  const response = await fetch(`${api}/api/${path}`, {
    method,
    credentials: 'include',
    ...(body ? { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) } : {}),
  });
  const answer = response.status === 204 ? undefined : await response.json();
  return { answer, location: response.headers.get('Location'), ok: response.ok };
};
const show = (id, text) => {
  document.getElementById(id).textContent = text;
};
const showCart = async () => show('cart', (await ask('GET', 'payment-summary')).answer.totalItems);

const showToday = () => show('today', new Date().toISOString());
setInterval(showToday, 1000);
showToday();

const { answer: products } = await ask('GET', 'products');
for (const { id, name, image } of products) {
  const item = document.createElement('li');
  const picture = Object.assign(new Image(100, 100), { src: `${api}/${image}`, alt: name });
  const button = Object.assign(document.createElement('button'), { textContent: `Add ${name}` });
  button.onclick = async () => {
    const { ok, answer } = await ask('POST', 'cart-items', { productId: id, quantity: 1 });
    show('message', ok ? `${name} added` : answer.message);
    await showCart();
  };
  item.append(picture, button);
  document.getElementById('products').append(item);
}
const order = Object.assign(document.createElement('button'), { textContent: 'Order' });
order.onclick = async () => {
  const { ok, answer, location } = await ask('POST', 'orders');
  show('message', ok ? `ordered: ${location}` : answer.message);
  if (ok) show('ordered', new Date(answer.orderTimeMs).toISOString());
  await showCart();
};
document.body.append(order);
await showCart();
