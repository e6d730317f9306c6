import express from 'express';

const app = express();
app.set('view engine', 'ejs');
app.set('views', import.meta.dirname);

app.get('/', async (_request, response) => {
  const items = await (await fetch(`${process.env.API_URL}/api/cart-items`)).json();
  response.render('cart', { units: items.reduce((units, { quantity }) => units + quantity, 0) });
});

app.listen(process.env.PORT);
