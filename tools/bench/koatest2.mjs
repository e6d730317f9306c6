import Koa from 'koa';
const app = new Koa(); const body = JSON.stringify({ id: 1, title: 'x'.repeat(100) });
app.use(async (ctx) => { ctx.respond = false; ctx.set('Content-Length', body.length); ctx.res.statusCode = 200; setImmediate(() => ctx.res.end(body)); });
app.listen(Number(process.argv[2]), '127.0.0.1');
