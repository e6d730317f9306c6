// Measures the console: first content with a slow network, and a minute and more with 200 requests a second. Prints the figures. Run it with
// `npm run test:browser -- performance`. MINUTES: how long the load lasts, at least 2.
import { spawn } from 'node:child_process';
import { Agent, request as send } from 'node:http';
import { createRequire } from 'node:module';
import { expect, test } from '@playwright/test';

const MINUTES = Number(process.env.MINUTES ?? 3);
const REQUESTS_PER_SECOND = 200;
const MAX_TASK_MS = 50;
const MAX_FIRST_CONTENT_MS = 200;
const MAX_HEAP_GROWTH = 1.2;
const MAX_LISTED = 10_000;

/** Networks: latency of each response in ms, and throughput in kB/s. */
const NETWORKS = [
  ['no limit', undefined],
  ['10 Mbit/s, 20 ms', { latency: 20, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 }],
  ['1.6 Mbit/s, 50 ms', { latency: 50, downloadThroughput: 200_000, uploadThroughput: 90_000 }],
];

let server;
let url = '';

test.beforeAll(async () => {
  const program = createRequire(import.meta.url)
    .resolve('storefront')
    .replace(/storefront\.js$/, 'main.js');
  server = spawn(process.execPath, [program, '--port', '0', '--durability', 'memory', '--log', 'off']);
  const [line] = await new Promise((resolve) => server.stdout.once('data', (data) => resolve([String(data)])));
  [url] = /http:\/\/[\w.:]+/.exec(line);
});
test.afterAll(() => server.kill());

/** Sends requests at a constant rate until the time is over. Resolves to the number of responses. */
async function sendRequests(seconds) {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  const startMs = performance.now();
  let sent = 0;
  let received = 0;
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      const elapsedMs = performance.now() - startMs;
      const due = Math.min(Math.floor((elapsedMs / 1000) * REQUESTS_PER_SECOND), seconds * REQUESTS_PER_SECOND);
      for (; sent < due; sent++) {
        sendOne(agent, sent, () => {
          received++;
          if (received === seconds * REQUESTS_PER_SECOND) resolve();
        });
      }
      if (elapsedMs > seconds * 1000) clearInterval(timer);
    }, 10);
  });
  agent.destroy();
  return received;
}

/** Requests as a front end sends them: searches, lists, changes and mistakes. */
function sendOne(agent, index, done) {
  const json = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ productId: 'fafe42e1-2f3e-46e3-a2c5-d94a792572e6', quantity: index % 12 });
  const [method, path] = [
    ['GET', `/api/products?search=kettle%20${index}`],
    ['GET', '/api/cart-items?expand=product'],
    ['POST', '/api/cart-items'],
    ['GET', `/api/orders/${index}`],
  ][index % 4];
  const message = send(url + path, { agent, method, headers: method === 'POST' ? json : {} }, (response) =>
    response.resume().on('end', done),
  );
  message.end(method === 'POST' ? body : undefined);
}

/** The trace events of the tasks of a page: one event for each turn of the event loop. */
const TASK_EVENTS = { categories: ['toplevel'] };

/**
 * Returns the CPU times of the tasks that a page runs during a callback, in ms, the longest first. The CPU time of a task does not depend on what else the machine
 * does, and is the duration of the task on a machine that does nothing else.
 */
async function measureTasks(page, run) {
  const browser = page.context().browser();
  await browser.startTracing(page, TASK_EVENTS);
  await run();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const isMainThread = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, pid, tid, tdur }) => /RunTask$/.test(name) && tdur !== undefined && isMainThread.has(`${pid} ${tid}`),
  );
  // The CPU time of a task is sometimes reported as more than its duration.
  return tasks.map(({ tdur, dur }) => Math.min(tdur, dur) / 1000).sort((a, b) => b - a);
}

/** Returns the tasks of at least 50 ms. Prints the longest tasks. */
function findLongTasks(action, tasks) {
  print(`${action}: ${tasks.length} tasks, the longest ${tasks.slice(0, 3).map((ms) => ms.toFixed(1))} ms of CPU time`);
  return tasks.filter((ms) => ms >= MAX_TASK_MS);
}

/** Returns the size of the JavaScript heap of the page after garbage collection, in MB. */
async function measureHeap(page) {
  const session = await page.context().newCDPSession(page);
  // What a collection finalizes, only a later one removes.
  for (let round = 0; round < 3; round++) await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}

async function openConsole(page) {
  await page.goto(`${url}/`);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
}

/** Returns the number of requests in the list. */
async function readCount(page) {
  const [, count = ''] = /([\d,]+) requests?/.exec(await page.locator('.request-count').innerText()) ?? [];
  return Number(count.replaceAll(',', ''));
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

for (const [name, conditions] of NETWORKS) {
  test(`the console shows its first content soon (${name})`, async ({ browser }) => {
    const times = [];
    for (let round = 0; round < 5; round++) {
      const page = await browser.newPage();
      if (conditions) {
        const session = await page.context().newCDPSession(page);
        await session.send('Network.enable');
        await session.send('Network.emulateNetworkConditions', { offline: false, ...conditions });
      }
      await page.goto(`${url}/`);
      await page.getByRole('navigation', { name: 'Views' }).waitFor();
      times.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
      await page.close();
    }
    print(
      `first content, ${name}: ${times
        .map(Math.round)
        .sort((a, b) => a - b)
        .join(', ')} ms`,
    );
    if (name !== NETWORKS[2][0]) expect(Math.min(...times)).toBeLessThan(MAX_FIRST_CONTENT_MS);
  });
}

test('the console follows 200 requests a second without long tasks, and with a constant heap', async ({ page }) => {
  test.setTimeout((MINUTES + 5) * 60_000);
  const long = findLongTasks('load', await measureTasks(page, () => openConsole(page)));
  const heaps = [];
  let sent = 0;
  for (let minute = 1; minute <= MINUTES; minute++) {
    long.push(
      ...findLongTasks(
        `minute ${minute}, 30 s`,
        await measureTasks(page, async () => {
          sent += await sendRequests(30);
        }),
      ),
    );
    // In the first minute, the list has not yet removed its oldest requests.
    if (minute === 1) await expect.poll(() => readCount(page)).toBe(sent);
    sent += await sendRequests(30);
    await fetch(`${url}/api/orders/end-of-minute-${minute}`);
    await expect(page.getByText(`end-of-minute-${minute}`).first()).toBeVisible();
    sent++;
    expect(await readCount(page)).toBeGreaterThan(MAX_LISTED - 1_000);
    heaps.push(await measureHeap(page));
  }
  print(`${sent} requests; heap after each minute: ${heaps.map((size) => size.toFixed(1)).join(', ')} MB`);
  expect.soft(long).toEqual([]);
  expect(heaps.at(-1)).toBeLessThan(heaps[0] * MAX_HEAP_GROWTH);
});

test('the console scrolls and filters 10,000 requests without long tasks', async ({ page }) => {
  test.setTimeout(300_000);
  await openConsole(page);
  await sendRequests(50);
  await expect.poll(() => readCount(page)).toBeGreaterThan(MAX_LISTED - 1_000);
  const grid = page.getByRole('grid');
  const long = [];
  const measure = async (action, run) => {
    const tasks = await measureTasks(page, async () => {
      await run();
      // The page has drawn the result, and has nothing else to do.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestIdleCallback(resolve))));
    });
    long.push(...findLongTasks(action, tasks));
  };
  await measure('scroll', async () => {
    await grid.hover();
    for (let step = 0; step < 60; step++) await page.mouse.wheel(0, 5_000);
  });
  await measure('search', () => page.getByLabel('Search in paths, headers and bodies').pressSequentially('kettle 12'));
  await measure('status', () => page.getByLabel('Status', { exact: true }).selectOption({ index: 1 }));
  await measure('no search', () => page.getByRole('button', { name: 'Remove the filter' }).click());
  await measure('details', () => grid.getByRole('row').nth(1).click());
  expect(long).toEqual([]);
});
