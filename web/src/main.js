import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import { find, moment, readResult, span } from './model.js';
import { describe, Gantt } from './gantt.js';

const $ = (selector) => document.querySelector(selector);
const results = [...document.querySelectorAll('script.tenure-result')].map((node, i) => readResult(JSON.parse(node.textContent), i));
let shown = results[0];

function element(name, text, className) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
}

// ---- numbers -----------------------------------------------------------------------------

const number = (digits) => (value) => value.toLocaleString('en', { maximumFractionDigits: digits });
const percent = (value) => `${(value * 100).toFixed(1)} %`;
const at = (object, path) => path.split('.').reduce((value, key) => value?.[key], object);

/** [name, path in the metrics, how it is written, which is better: -1 less, 1 more, 0 neither]. */
function rowsOf(unit) {
  return [
    ['Jobs submitted', 'jobs.submitted', number(0), 0],
    ['Jobs ended by themselves', 'jobs.done', number(0), 1],
    ['Jobs killed at their limit', 'jobs.killed', number(0), -1],
    ['Jobs refused', 'jobs.refused', number(0), 0],
    ['Jobs running at the stop', 'jobs.running', number(0), 0],
    ['Jobs waiting at the stop', 'jobs.waiting', number(0), 0],
    ['Wait, mean', 'wait_seconds.mean', span, -1],
    ['Wait, median', 'wait_seconds.median', span, -1],
    ['Wait, 95 %', 'wait_seconds.p95', span, -1],
    ['Wait, most', 'wait_seconds.max', span, -1],
    ['Bounded slowdown, mean', 'bounded_slowdown.mean', number(2), -1],
    ['Bounded slowdown, median', 'bounded_slowdown.median', number(2), -1],
    ['Bounded slowdown, 95 %', 'bounded_slowdown.p95', number(2), -1],
    ['Utilisation', 'utilisation', percent, 1],
    ['Loss of capacity', 'loss_of_capacity', percent, -1],
    ['Makespan', 'makespan_seconds', span, -1],
    ['Backfilled', 'backfilled_share', percent, 0],
    [`${unit}-hours held`, `${unit}_hours_held`, number(1), 0],
    [`${unit}-hours lost with killed jobs`, `${unit}_hours_killed`, number(1), -1],
    ['Error of the start announced at submission, mean', 'prediction.at_submission.error_seconds.mean', span, -1],
    ['Error of the start announced at submission, 95 %', 'prediction.at_submission.error_seconds.p95', span, -1],
    ['Error of the announced start while waiting, mean', 'prediction.over_time_seconds.mean', span, -1],
    ['Extensions granted', 'extensions.granted', number(0), 0],
    ['Jobs saved by extensions', 'extensions.jobs_saved', number(0), 1],
    [`${unit}-hours not lost by extensions`, `extensions.${unit}_hours_not_lost`, number(1), 1],
    ['Jobs later by extensions', 'extensions.jobs_later', number(0), -1],
    ['Delay by extensions, mean', 'extensions.delay_seconds.mean', span, -1],
    ['Delay by extensions, most', 'extensions.delay_seconds.max', span, -1],
  ];
}

function fillNumbers(table, rows, cells) {
  const head = element('tr');
  head.append(element('th', ''), ...results.map((result) => element('th', result.label)));
  table.append(element('thead'));
  table.tHead.append(head);
  const body = table.createTBody();
  for (const [name, path, write, better] of rows) {
    const values = results.map((result) => at(result.metrics, path));
    if (values.every((value) => value === undefined || value === null)) continue;
    const row = cells(values, write, better);
    if (!row) continue;
    const line = body.insertRow();
    line.append(element('th', name), ...row);
  }
}

function bestOf(values, better) {
  const known = values.filter((value) => value !== undefined && value !== null);
  if (better === 0 || new Set(known).size < 2) return NaN;
  return better < 0 ? Math.min(...known) : Math.max(...known);
}

function showNumbers() {
  const rows = rowsOf(results[0].cluster.unit);
  const write = (value, fn) => (value === undefined || value === null ? '–' : fn(value));
  fillNumbers($('#numbers table'), rows, (values, fn, better) => {
    const best = bestOf(values, better);
    return values.map((value) => element('td', write(value, fn), value === best ? 'best' : ''));
  });
  if (results.length < 2) return;
  $('#differences').hidden = false;
  fillNumbers($('#differences table'), rows.filter((row) => row[3] !== 0), (values, fn, better) => {
    if (new Set(values).size < 2) return null;
    const best = bestOf(values, better);
    return values.map((value, i) => {
      if (i === 0 || value === undefined || values[0] === undefined) return element('td', write(value, fn), value === best ? 'best' : '');
      const change = value - values[0];
      const relative = values[0] ? ` (${change > 0 ? '+' : ''}${((change / values[0]) * 100).toFixed(1)} %)` : '';
      return element('td', write(value, fn) + relative, value === best ? 'best' : '');
    });
  });
}

// ---- charts ------------------------------------------------------------------------------

const kLines = ['--line-1', '--line-2', '--line-3', '--line-4', '--line-5', '--line-6'];
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
let charts = [];

function plot(target, x, lines, { time = false, logX = false, write = (value) => value, title }) {
  const node = $(target);
  node.replaceChildren();
  const axis = { stroke: css('--ink'), grid: { stroke: css('--grid'), width: 1 }, ticks: { stroke: css('--grid') } };
  const chart = new uPlot({
    width: Math.max(260, node.clientWidth),
    height: 200,
    scales: { x: logX ? { distr: 3, log: 10, time: false } : { time }, y: { range: (_, low, high) => [0, Math.max(high, 1e-9)] } },
    axes: [{ ...axis, values: time ? undefined : (_, ticks) => ticks.map((tick) => (tick === null ? '' : write(tick))) }, { ...axis, size: 60, label: title, labelSize: 16 }],
    series: [{ label: time ? 'time' : 'value' }, ...lines.map((line, i) => ({ label: line.label, stroke: css(kLines[i % kLines.length]), width: 1.5, points: { show: false }, value: (_, value) => (value === null || value === undefined ? '–' : +value.toPrecision(4)) }))],
    legend: { show: lines.length > 1 },
    tzDate: (stamp) => uPlot.tzDate(new Date(stamp * 1000), 'UTC'),
  }, [x, ...lines.map((line) => line.values)], node);
  charts.push(chart);
}

/** Results may have other bins: the values at the times of the first. */
function onBinsOf(base, series, values) {
  return base.map((time) => {
    const i = Math.floor((time - series.begin) / series.step + 1e-9);
    return i >= 0 && i < values.length ? values[i] : null;
  });
}

/** A snapshot knows nothing of the past: it has no series. */
function seriesChart(target, title, pick) {
  const past = results.filter((result) => result.series.busy_units);
  $(target).parentElement.hidden = past.length === 0;
  if (past.length === 0) return;
  const ends = past.map((result) => result.series.begin + result.series.step * result.series.busy_units.length);
  const begin = Math.min(...past.map((result) => result.series.begin));
  const step = (Math.max(...ends) - begin) / 1000 || 1;
  const times = Array.from({ length: 1000 }, (_, i) => begin + i * step);
  const { origin, relative } = past[0];
  plot(target, times.map((time) => (relative ? time : time + origin)), past.map((result) => ({ label: result.label, values: onBinsOf(times, result.series, pick(result)) })), { time: !relative, title });
}

/** Share of jobs up to a value, on a grid that all results share. */
function distributionChart(target, past, pick, write) {
  if (past.length === 0) return;
  const sorted = past.map((result) => Float64Array.from(result.jobs.map(pick).filter((value) => value !== null)).sort());
  const low = 1;
  const high = Math.max(10, ...sorted.map((values) => values.at(-1) ?? 0));
  const grid = Array.from({ length: 200 }, (_, i) => low * (high / low) ** (i / 199));
  const lines = past.map((result, k) => {
    let at = 0;
    const values = grid.map((limit) => {
      while (at < sorted[k].length && sorted[k][at] <= limit) ++at;
      return sorted[k].length ? (at / sorted[k].length) * 100 : null;
    });
    return { label: result.label, values };
  });
  plot(target, grid, lines, { logX: true, write, title: '% of jobs' });
}

function showCharts() {
  charts.forEach((chart) => chart.destroy());
  charts = [];
  seriesChart('#use', '% busy', (result) => result.series.busy_units.map((value) => (value / result.cluster.units) * 100));
  seriesChart('#queue', 'waiting jobs', (result) => result.series.waiting_jobs);
  const past = results.filter((result) => result.command !== 'snapshot');
  $('#wait').closest('section').hidden = past.length === 0;
  distributionChart('#wait', past, (job) => job.wait, span);
  distributionChart('#slowdown', past, (job) => job.slowdown, number(1));
}

// ---- jobs --------------------------------------------------------------------------------

const kColumns = [
  ['id', 'Job', (job) => job.id], ['user', 'User', (job) => job.user ?? ''], ['queue', 'Queue', (job) => job.queue ?? ''],
  ['units', 'Size', (job) => job.units], ['submit', 'Submitted', (job) => moment(shown, job.submit)],
  ['start', 'Start', (job) => moment(shown, job.start ?? job.planned_start)], ['end', 'End', (job) => moment(shown, job.end)],
  ['wait', 'Wait', (job) => span(job.wait)], ['slowdown', 'Slowdown', (job) => (job.slowdown === null ? '–' : job.slowdown.toFixed(1))],
  ['extensions', 'Extended', (job) => job.extensions || ''], ['delay', 'Delay', (job) => (job.delay ? span(job.delay) : '')],
  ['outcome', 'Outcome', (job) => (job.planned_start === null ? job.outcome : 'planned')],
];
const kMostRows = 200;
let order = null;
let hits = null;

function showJobs() {
  let list = hits ?? shown.jobs.map((_, i) => i);
  if (order) {
    const value = (i) => shown.jobs[i][order.key];
    list = [...list].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === y) return a - b;
      if (x === null) return 1;
      if (y === null) return -1;
      return (x < y ? -1 : 1) * order.sign;
    });
  }
  $('#jobs-count').textContent = `${list.length.toLocaleString('en')} of ${shown.jobs.length.toLocaleString('en')} jobs${list.length > kMostRows ? `, the first ${kMostRows} shown` : ''}`;
  const table = $('#jobs');
  table.replaceChildren();
  const head = table.createTHead().insertRow();
  for (const [key, name] of kColumns) {
    const cell = element('th');
    const button = element('button', name + (order?.key === key ? (order.sign > 0 ? ' ↑' : ' ↓') : ''));
    button.type = 'button';
    button.onclick = () => {
      order = { key, sign: order?.key === key ? -order.sign : 1 };
      showJobs();
    };
    cell.append(button);
    head.append(cell);
  }
  const body = table.createTBody();
  for (const i of list.slice(0, kMostRows)) {
    const row = body.insertRow();
    for (const [, , write] of kColumns) row.insertCell().textContent = write(shown.jobs[i]);
    row.onclick = () => {
      gantt.reveal(i);
      $('#gantt').scrollIntoView({ block: 'center' });
    };
  }
}

// ---- the chart and what is around it -----------------------------------------------------

const tip = $('#tip');
const gantt = new Gantt($('#gantt'), (job, event) => {
  tip.hidden = job < 0;
  if (job < 0) return;
  tip.replaceChildren(...describe(shown, shown.jobs[job]).map((line) => element('div', line)));
  const width = Math.min(tip.offsetWidth, innerWidth - 16);
  tip.style.left = `${Math.max(8, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
});

let nextHit = 0;
function search() {
  const text = $('#search').value;
  hits = find(shown, text);
  nextHit = 0;
  $('#hits').textContent = hits ? `${hits.length.toLocaleString('en')} ${hits.length === 1 ? 'job' : 'jobs'}` : '';
  gantt.search(hits);
  showJobs();
}

function next() {
  if (!hits?.length) return;
  gantt.reveal(hits[nextHit % hits.length]);
  ++nextHit;
}

function show(result) {
  shown = result;
  gantt.show(result);
  search();
  const extended = result.jobs.some((job) => job.extensions > 0);
  const delayed = result.jobs.some((job) => job.delay > 0);
  const kinds = new Set(result.bars.kind);
  const items = [['done', 'ended by itself', kinds.has(0)], ['killed', 'killed or canceled', kinds.has(1)], ['running', 'running at the stop', kinds.has(2)], ['planned', 'planned or still held', kinds.has(3)], ['extension', 'beyond the first limit (extended)', extended], ['delay', 'later than without extensions', delayed]];
  $('#legend').replaceChildren(...items.filter((item) => item[2]).map(([name, text]) => element('li', text, name)));
}

function theme(name) {
  document.documentElement.dataset.theme = name;
  showCharts();
  gantt.redraw();
}

const dark = matchMedia('(prefers-color-scheme: dark)');
document.documentElement.dataset.theme = dark.matches ? 'dark' : 'light';
dark.addEventListener('change', () => theme(dark.matches ? 'dark' : 'light'));
$('#theme').onclick = () => theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
let before = null;
addEventListener('beforeprint', () => { before = document.documentElement.dataset.theme; theme('light'); gantt.draw(); });
addEventListener('afterprint', () => theme(before));
$('#search').oninput = search;
document.querySelectorAll('[data-do]').forEach((button) => {
  button.onclick = () => ({ in: () => gantt.zoom(0.6), out: () => gantt.zoom(1 / 0.6), all: () => gantt.all(), next })[button.dataset.do]();
});
addEventListener('keydown', (event) => {
  if (event.target.matches('input, select')) {
    if (event.key === 'Enter' && event.target.id === 'search') next();
    return;
  }
  if (event.key === '/') { event.preventDefault(); $('#search').focus(); }
  if (event.key === 'n') next();
});
let resizing = 0;
addEventListener('resize', () => { clearTimeout(resizing); resizing = setTimeout(showCharts, 100); });

if (results.length === 0) {
  $('main').replaceChildren(element('p', 'This page holds no result. Make one with: tenure report RESULT -o report.html'));
} else {
  const title = results.length === 1 ? results[0].label : `${results.length} results compared`;
  document.title = `${title} – Tenure`;
  $('#title').textContent = title;
  const { cluster } = results[0];
  $('#subtitle').textContent = `${cluster.nodes.toLocaleString('en')} nodes, ${results[0].jobs.length.toLocaleString('en')} jobs, ${moment(results[0], results[0].begin)} to ${moment(results[0], results[0].end)}${results[0].relative ? '' : ' UTC'} · ${results[0].producer}`;
  results.forEach((result, i) => $('#which').add(new Option(result.label, i)));
  $('#which-label').hidden = results.length < 2;
  $('#which').onchange = (event) => show(results[event.target.value]);
  showNumbers();
  show(shown);
  showCharts();
}
window.tenure = { results, gantt, find: (text) => find(shown, text), ready: true };
