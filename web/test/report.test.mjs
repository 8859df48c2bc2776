// The page in a real Chromium: what it draws is checked against the data, through its scene.
// TENURE is the program, CHROMIUM the browser. TENURE_SHOTS=FOLDER keeps pictures.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';

const { TENURE, CHROMIUM, TENURE_SHOTS } = process.env;
const folder = mkdtempSync(join(tmpdir(), 'tenure-web-'));
const file = (name) => join(folder, name);
const tenure = (...args) => execFileSync(TENURE, args, { encoding: 'utf8' });
let browser;

before(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** A page with a watch on its console and on the network. */
async function open(path, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.faults = [];
  page.on('console', (message) => { if (message.type() === 'error') page.faults.push(message.text()); });
  page.on('pageerror', (error) => page.faults.push(String(error)));
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(path).href && !request.url().startsWith('data:')) page.faults.push(`request ${request.url()}`);
  });
  await page.goto(pathToFileURL(path).href);
  await page.waitForFunction(() => window.tenure?.ready && window.tenure.gantt.frames > 0);
  return page;
}

const shot = async (page, name) => { if (TENURE_SHOTS) await page.screenshot({ path: join(TENURE_SHOTS, `${name}.png`), fullPage: true }); };

function small() {
  writeFileSync(file('t.swf'), `; UnixStartTime: 1000000000
; MaxNodes: 4
; MaxProcs: 4
1 0 -1 100 2 -1 -1 2 200 -1 1 7 1 -1 1 -1 -1 -1
2 0 -1 660 2 -1 -1 2 600 -1 1 8 1 -1 2 -1 -1 -1
3 10 -1 50 4 -1 -1 4 60 -1 1 7 1 -1 1 -1 -1 -1
`);
  tenure('sim', file('t.swf'), '--policy', 'conservative', '--extend', 'lead=1m,amount=5m,max=1', '-o', file('with.json'));
  tenure('sim', file('t.swf'), '--policy', 'conservative', '-o', file('without.json'));
  tenure('sim', file('t.swf'), '--policy', 'conservative', '--until', '50', '-o', file('stopped.json'));
}
small();

/** 100 000 jobs on 16 384 nodes, one in four on three pieces of the machine. */
function big() {
  const result = JSON.parse(readFileSync(file('without.json')));
  const nodes = 16384;
  let seed = 1;
  const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
  result.cluster.nodes = result.cluster.units = nodes;
  const free = new Float64Array(nodes / 64);
  const rows = [];
  for (let i = 0; i < 100000; ++i) {
    const slot = random(free.length);
    const pieces = random(4) === 0 ? 3 : 1;
    const at = Array.from({ length: pieces }, (_, k) => (slot + k * 37) % free.length);
    const start = Math.max(...at.map((place) => free[place]));
    const end = start + 60 + random(7200);
    at.forEach((place) => (free[place] = end));
    const size = 1 + random(64);
    const ranks = at.sort((a, b) => a - b).map((place) => `${place * 64}-${place * 64 + size - 1}`).join();
    const submit = Math.max(0, start - random(10000));
    rows.push([String(i), String(random(200)), String(random(5)), submit, start, end, 7300, start + 7300, end - start, size * pieces, size * pieces, ranks, 'done', 'immediate', 0, [[submit, start]], null, start]);
  }
  result.end = Math.max(...free);
  result.jobs.rows = rows;
  writeFileSync(file('big.json'), JSON.stringify(result));
}

test('the bars are the jobs of the result, in their places', async () => {
  tenure('report', file('with.json'), '-o', file('one.html'));
  const page = await open(file('one.html'));
  const seen = await page.evaluate(() => {
    const { gantt } = window.tenure;
    return { scene: gantt.scene(), left: gantt.left, width: gantt.plotWidth, height: gantt.plotHeight, view: gantt.view };
  });
  const result = JSON.parse(readFileSync(file('with.json')));
  const rows = result.jobs.rows.map((row) => Object.fromEntries(result.jobs.columns.map((name, k) => [name, row[k]])));
  assert.deepEqual(seen.scene.map((bar) => [bar.id, bar.kind]), [['1', 0], ['2', 0], ['2', 4], ['3', 0]]);
  const x = (time) => seen.left + ((time - seen.view.from) / (seen.view.to - seen.view.from)) * seen.width;
  for (const bar of seen.scene) {
    const job = rows.find((row) => row.id === bar.id);
    const limit = job.start + job.limit;
    const [from, to] = bar.kind === 4 ? [limit, job.end] : [job.start, Math.min(job.end, limit)];
    const [first, last] = job.ranks.split('-').map(Number);
    const near = (a, b) => assert.ok(Math.abs(a - b) <= 2, `${JSON.stringify(bar)}: ${a} is not about ${b}`);
    near(bar.box[0], x(from));
    near(bar.box[2], x(to));
    near(bar.box[1], (first / 4) * seen.height);
    near(bar.box[3], ((last + 1) / 4) * seen.height);
  }
  // The middle of a bar has the colour of its kind.
  const colours = await page.evaluate(() => {
    const { gantt } = window.tenure;
    return gantt.scene().map(({ kind, box }) => {
      const p = gantt.context.getImageData((box[0] + box[2]) >> 1, ((box[1] + box[3]) >> 1) + 9, 1, 1).data;
      const value = ((255 << 24) | (p[2] << 16) | (p[1] << 8) | p[0]) >>> 0;
      return value === gantt.fill[kind] || value === gantt.tint[kind];
    });
  });
  assert.deepEqual(colours, [true, true, true, true]);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('zoom, keys, search, hover and the table', async () => {
  const page = await open(file('one.html'));
  const width = () => page.evaluate(() => window.tenure.gantt.view.to - window.tenure.gantt.view.from);
  const all = await width();
  await page.click('[data-do=in]');
  assert.ok((await width()) < all);
  await page.focus('#gantt');
  await page.keyboard.press('0');
  assert.equal(await width(), all);
  const box = await page.locator('#gantt').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 100);
  await page.mouse.wheel(0, -400);
  await page.waitForFunction((before) => window.tenure.gantt.view.to - window.tenure.gantt.view.from < before, all);
  await page.keyboard.press('0');
  await page.keyboard.press('/');
  await page.keyboard.type('user:7');
  assert.equal(await page.textContent('#hits'), '2 jobs');
  assert.equal(await page.locator('#jobs tbody tr').count(), 2);
  await page.fill('#search', 'queue:2');
  assert.equal(await page.textContent('#hits'), '1 job');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => window.tenure.results[0].jobs[window.tenure.gantt.selected].id), '2');
  await page.fill('#search', '');
  await page.click('[data-do=all]');
  await page.waitForTimeout(60);
  const bar = await page.evaluate(() => {
    const { gantt } = window.tenure;
    const rect = gantt.canvas.getBoundingClientRect();
    const { box: place } = gantt.scene().find((entry) => entry.id === '3');
    return [rect.left + (place[0] + place[2]) / 2 / gantt.ratio, rect.top + (place[1] + place[3]) / 2 / gantt.ratio];
  });
  await page.mouse.move(...bar);
  const tip = await page.textContent('#tip');
  assert.match(tip, /job 3, user 7, queue 1/);
  assert.match(tip, /60 s later than without extensions/);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('several results: what differs comes first, the best is marked', async () => {
  tenure('report', file('without.json'), file('with.json'), '-o', file('two.html'));
  const page = await open(file('two.html'));
  assert.ok(await page.isVisible('#differences'));
  const killed = page.locator('#differences tr', { hasText: 'killed at their limit' });
  assert.deepEqual(await killed.locator('td').allTextContents(), ['1', '0 (-100.0 %)']);
  assert.equal(await killed.locator('td.best').textContent(), '0 (-100.0 %)');
  await page.selectOption('#which', '1');
  assert.ok((await page.evaluate(() => window.tenure.gantt.scene())).some((bar) => bar.kind === 4));
  await shot(page, 'two-light');
  await page.click('#theme');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await page.waitForTimeout(100);
  await shot(page, 'two-dark');
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a replay that was stopped shows what runs and what is planned', async () => {
  tenure('report', file('stopped.json'), '-o', file('stopped.html'));
  const page = await open(file('stopped.html'));
  const kinds = await page.evaluate(() => window.tenure.gantt.scene().map((bar) => [bar.id, bar.kind]));
  assert.deepEqual(kinds.sort(), [['1', 2], ['1', 3], ['2', 2], ['2', 3], ['3', 3]]);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a scenario has its labels and its own time, a snapshot what runs and what is planned', async () => {
  writeFileSync(file('s.yaml'), `cluster: {nodes: 4, cores: 8}
config: {policy: conservative}
events:
  - {at: 0, submit: {id: first, nodes: 4, duration: 60s}}
  - {at: 1, submit: {id: second, nodes: 4, duration: 60s}}
  - {at: 10, update: {id: first, duration: +30s}}
`);
  tenure('run', file('s.yaml'), '--until', '20', '--snapshot', file('state.json'), '-o', file('run.json'));
  const kinds = (page) => page.evaluate(() => window.tenure.gantt.scene().map((bar) => [bar.id, bar.kind]));
  tenure('report', file('run.json'), '-o', file('run.html'));
  const run = await open(file('run.html'));
  assert.deepEqual(await kinds(run), [['first', 2], ['first', 3], ['second', 3]]);
  assert.match(await run.textContent('#subtitle'), /0 s to 20 s/);
  assert.ok(await run.isVisible('#use'));
  assert.deepEqual(run.faults, []);
  await run.close();
  tenure('report', file('state.json'), '-o', file('state.html'));
  const state = await open(file('state.html'));
  assert.deepEqual(await kinds(state), [['first', 2], ['first', 3], ['second', 3]]);
  assert.ok(!(await state.isVisible('#use')));
  assert.deepEqual(state.faults, []);
  await state.close();
});

test('a phone shows everything without scrolling sideways', async () => {
  const page = await open(file('two.html'), { viewport: { width: 390, height: 844 }, colorScheme: 'dark', deviceScaleFactor: 2 });
  const [content, screen, wide] = await page.evaluate(() => {
    const wider = [...document.querySelectorAll('body *')].filter((node) => !node.closest('.scroll table') && node.getBoundingClientRect().right > screen.width + 1);
    return [document.documentElement.scrollWidth, screen.width, wider.map((node) => node.id || node.className || node.tagName)];
  });
  assert.ok(content <= screen, `${content} wide on ${screen}: ${wide}`);
  await shot(page, 'phone-dark');
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('100 000 jobs on 16 384 nodes open in 3 s and move at 30 frames a second', async () => {
  big();
  tenure('report', file('big.json'), '-o', file('big.html'));
  const began = performance.now();
  const page = await open(file('big.html'));
  const opened = (performance.now() - began) / 1000;
  // The best of three: the machine may have other work.
  const round = () => page.evaluate(async () => {
    const { gantt } = window.tenure;
    const count = 30;
    const start = performance.now();
    for (let i = 0; i < count; ++i) {
      await new Promise(requestAnimationFrame);
      gantt.pan(i % 2 ? 0.01 : -0.01, 0);
      cancelAnimationFrame(gantt.pending);
      gantt.pending = 0;
      gantt.draw();
    }
    return count / ((performance.now() - start) / 1000);
  });
  const rate = Math.max(await round(), await round(), await round());
  console.log(`opened in ${opened.toFixed(2)} s, ${rate.toFixed(0)} frames/s`);
  await shot(page, 'big-light');
  assert.ok(opened <= 3, `opened in ${opened.toFixed(2)} s`);
  assert.ok(rate >= 30, `${rate.toFixed(1)} frames/s`);
  assert.deepEqual(page.faults, []);
  await page.close();
});
