import Koa from 'koa';
const app = new Koa(); const body = JSON.stringify({ id: 1, title: 'x'.repeat(100) });
app.use(async (ctx) => { ctx.req.resume(); ctx.set('X-A', 'b'); ctx.type = 'json'; ctx.body = body; });
app.listen(Number(process.argv[2]), '127.0.0.1');
