// The chart of nodes over time: bars are written into a pixel buffer, so that the cost of a
// frame is that of its pixels, not of its jobs; axes and marks are drawn over it.
import { moment, span } from './model.js';

const kLeft = 56;
const kBottom = 26;
const kSteps = [1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000, 7776000, 31536000];

function pixel(colour) {
  const hex = parseInt(colour.trim().slice(1), 16);
  return ((255 << 24) | ((hex & 255) << 16) | (hex & 0xff00) | (hex >> 16)) >>> 0;
}

function blend(a, b, part) {
  let out = 255 << 24;
  for (const shift of [0, 8, 16]) {
    const x = (a >>> shift) & 255;
    out |= Math.round(x + (((b >>> shift) & 255) - x) * part) << shift;
  }
  return out >>> 0;
}

export class Gantt {
  constructor(canvas, onHover) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', { alpha: false });
    this.onHover = onHover;
    this.hits = null;
    this.selected = -1;
    this.frames = 0;
    this.bind();
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  show(result) {
    this.result = result;
    this.hits = null;
    this.selected = -1;
    this.buckets = this.bucketsOf(result.bars);
    this.all();
  }

  /** Bars by slices of time, so that a frame looks only at those it may show. */
  bucketsOf(bars) {
    const { begin, horizon } = this.result;
    const count = 512;
    const width = (horizon - begin) / count || 1;
    const buckets = Array.from({ length: count }, () => []);
    const place = (time) => Math.min(count - 1, Math.max(0, Math.floor((time - begin) / width)));
    const long = [];
    const firsts = new Uint16Array(bars.count);
    for (let i = 0; i < bars.count; ++i) {
      const from = place(bars.start[i]);
      const to = place(bars.end[i]);
      firsts[i] = from;
      if (to - from > 8) long.push(i);
      else for (let k = from; k <= to; ++k) buckets[k].push(i);
    }
    return { buckets, long, place, firsts };
  }

  all() {
    const { begin, horizon, cluster } = this.result;
    const margin = (horizon - begin) * 0.01 || 1;
    this.view = { from: begin - margin, to: horizon + margin, top: 0, bottom: cluster.nodes };
    this.redraw();
  }

  resize() {
    const box = this.canvas.getBoundingClientRect();
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(200, Math.round(box.width * ratio));
    const height = Math.max(100, Math.round(box.height * ratio));
    if (this.canvas.width === width && this.canvas.height === height && this.buffer) return;
    this.ratio = ratio;
    this.canvas.width = width;
    this.canvas.height = height;
    this.left = Math.round(kLeft * ratio);
    this.plotWidth = width - this.left;
    this.plotHeight = height - Math.round(kBottom * ratio);
    this.image = this.context.createImageData(this.plotWidth, this.plotHeight);
    this.buffer = new Uint32Array(this.image.data.buffer);
    this.draw();
  }

  colours() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    this.ink = colour('--ink');
    this.faint = colour('--faint');
    this.mark = colour('--mark');
    this.ground = pixel(colour('--panel'));
    this.down = pixel(colour('--down'));
    this.fill = ['--done', '--killed', '--running', '--planned', '--extension'].map((name) => pixel(colour(name)));
    this.tint = this.fill.map((value) => blend(value, this.ground, 0.22));
    this.dim = this.fill.map((value) => blend(value, this.ground, 0.8));
  }

  redraw() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.draw();
    });
  }

  x(time) {
    return ((time - this.view.from) / (this.view.to - this.view.from)) * this.plotWidth;
  }
  y(rank) {
    return ((rank - this.view.top) / (this.view.bottom - this.view.top)) * this.plotHeight;
  }

  rect(i) {
    const { bars } = this.result;
    let x0 = Math.floor(this.x(bars.start[i]));
    let x1 = Math.max(x0 + 1, Math.floor(this.x(bars.end[i])));
    let y0 = Math.floor(this.y(bars.first[i]));
    let y1 = Math.max(y0 + 1, Math.floor(this.y(bars.last[i] + 1)));
    if (x1 - x0 > 3) --x1;
    if (y1 - y0 > 3) --y1;
    x0 = Math.max(0, x0);
    y0 = Math.max(0, y0);
    x1 = Math.min(this.plotWidth, x1);
    y1 = Math.min(this.plotHeight, y1);
    return x1 > x0 && y1 > y0 ? [x0, y0, x1, y1] : null;
  }

  /** Calls fn(bar) for each bar that may be in sight, in the order of jobs. */
  eachVisible(fn) {
    const { buckets, long, place, firsts } = this.buckets;
    for (const i of long) fn(i);
    const from = place(this.view.from);
    const to = place(this.view.to);
    for (let k = from; k <= to; ++k) {
      for (const i of buckets[k]) if (k === from || firsts[i] === k) fn(i);  // each once
    }
  }

  draw() {
    if (!this.buffer || !this.result) return;
    this.colours();
    this.buffer.fill(this.ground);
    this.paintAll();
    this.context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--panel');
    this.context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.context.putImageData(this.image, this.left, 0);
    this.axes();
    this.marks();
    ++this.frames;
  }

  /** The same boxes as rect(), without an object a bar. */
  paintAll() {
    const { start, end, first, last, job, kind } = this.result.bars;
    const { buffer, plotWidth: width, plotHeight: height, fill, tint, dim, hitSet, view } = this;
    const sx = width / (view.to - view.from);
    const sy = height / (view.bottom - view.top);
    this.eachVisible((i) => {
      let x0 = Math.floor((start[i] - view.from) * sx);
      let x1 = Math.max(x0 + 1, Math.floor((end[i] - view.from) * sx));
      if (x1 <= 0 || x0 >= width) return;
      let y0 = Math.floor((first[i] - view.top) * sy);
      let y1 = Math.max(y0 + 1, Math.floor((last[i] + 1 - view.top) * sy));
      if (y1 <= 0 || y0 >= height) return;
      if (x1 - x0 > 3) --x1;
      if (y1 - y0 > 3) --y1;
      if (x0 < 0) x0 = 0;
      if (y0 < 0) y0 = 0;
      if (x1 > width) x1 = width;
      if (y1 > height) y1 = height;
      const colour = hitSet && !hitSet.has(job[i]) ? dim[kind[i]] : ((job[i] & 1) === 0 ? fill : tint)[kind[i]];
      const striped = kind[i] === 3 && x1 - x0 > 2;  // planned
      for (let y = y0; y < y1; ++y) {
        const row = y * width;
        if (striped) {
          for (let x = x0; x < x1; ++x) if (((x + y) & 7) < 5) buffer[row + x] = colour;
        } else if (x1 - x0 > 32) {
          buffer.fill(colour, row + x0, row + x1);
        } else {
          for (let x = row + x0; x < row + x1; ++x) buffer[x] = colour;
        }
      }
    });
  }

  axes() {
    const c = this.context;
    const r = this.ratio;
    c.font = `${11 * r}px system-ui, sans-serif`;
    c.fillStyle = this.ink;
    c.strokeStyle = this.faint;
    c.lineWidth = 1;
    const seconds = this.view.to - this.view.from;
    const wanted = seconds / Math.max(2, this.plotWidth / (130 * r));
    const step = kSteps.find((value) => value >= wanted) ?? kSteps.at(-1);
    c.textBaseline = 'top';
    for (let t = Math.ceil(this.view.from / step) * step; t <= this.view.to; t += step) {
      const x = Math.round(this.left + this.x(t)) + 0.5;
      c.beginPath();
      c.moveTo(x, 0);
      c.lineTo(x, this.plotHeight + 4 * r);
      c.stroke();
      let text = moment(this.result, t);
      if (text.length > 10) text = step >= 86400 ? text.slice(0, 10) : text.slice(5, 16);
      const w = c.measureText(text).width;
      if (x + w / 2 < this.canvas.width) c.fillText(text, x - w / 2, this.plotHeight + 7 * r);
    }
    c.textBaseline = 'middle';
    const ranks = this.view.bottom - this.view.top;
    let rankStep = 1;
    while ((rankStep / ranks) * this.plotHeight < 22 * r) rankStep *= 2;
    for (let n = Math.ceil(this.view.top / rankStep) * rankStep; n < this.view.bottom; n += rankStep) {
      const text = String(n);
      const y = this.y(n + (rankStep === 1 ? 0.5 : 0));
      c.fillText(text, this.left - c.measureText(text).width - 6 * r, Math.max(7 * r, y));
    }
    if (this.result.end < this.result.horizon) this.line(this.result.end, this.mark, 'stop');
  }

  line(time, colour, text) {
    const x = Math.round(this.left + this.x(time)) + 0.5;
    if (x < this.left || x > this.canvas.width) return;
    const c = this.context;
    c.strokeStyle = colour;
    c.fillStyle = colour;
    c.lineWidth = 2 * this.ratio;
    c.beginPath();
    c.moveTo(x, 0);
    c.lineTo(x, this.plotHeight);
    c.stroke();
    c.textBaseline = 'top';
    c.fillText(text, x + 4 * this.ratio, 3 * this.ratio);
  }

  /** Delays by extensions as lines to the start without them; the selected job in a frame. */
  marks() {
    const { bars, jobs } = this.result;
    const c = this.context;
    c.save();
    c.beginPath();
    c.rect(this.left, 0, this.plotWidth, this.plotHeight);
    c.clip();
    c.strokeStyle = this.mark;
    c.lineWidth = 1.5 * this.ratio;
    let drawn = 0;
    let last = -1;
    if (this.result.delayed) this.eachVisible((i) => {
      const job = jobs[bars.job[i]];
      if (bars.job[i] === last || bars.start[i] !== job.start) return;
      if (!(job.delay > 0) || drawn > 400) return;
      last = bars.job[i];
      const box = this.rect(i);
      if (!box) return;
      const y = this.y((bars.first[i] + bars.last[i] + 1) / 2);
      const from = this.left + this.x(job.baseline_start);
      if (box[0] + this.left - from <= 4) return;
      ++drawn;
      c.beginPath();
      c.moveTo(from, y - 4 * this.ratio);
      c.lineTo(from, y + 4 * this.ratio);
      c.moveTo(from, y);
      c.lineTo(this.left + box[0], y);
      c.stroke();
    });
    c.lineWidth = 2.5 * this.ratio;
    if (this.selected >= 0) {
      this.eachVisible((i) => {
        const box = bars.job[i] === this.selected ? this.rect(i) : null;
        if (box) c.strokeRect(this.left + box[0], box[1], box[2] - box[0], box[3] - box[1]);
      });
    }
    c.restore();
  }

  /** The job at a place of the page, or -1. */
  jobAt(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    const x = (clientX - box.left) * this.ratio - this.left;
    const y = (clientY - box.top) * this.ratio;
    if (x < 0 || y > this.plotHeight) return -1;
    let found = -1;
    this.eachVisible((i) => {
      const r = this.rect(i);
      if (r && x >= r[0] && x < Math.max(r[2], r[0] + 2) && y >= r[1] && y < r[3]) found = this.result.bars.job[i];
    });
    return found;
  }

  search(hits) {
    this.hits = hits;
    this.hitSet = hits ? new Set(hits) : null;
    this.redraw();
  }

  /** Brings a job into sight and frames it. */
  reveal(job) {
    const { start, planned_start: planned, end, ranks } = this.result.jobs[job];
    this.selected = job;
    const from = start ?? planned;
    if (from === null) return this.redraw();
    const length = Math.max(60, (end ?? this.result.end) - from);
    this.view.from = from - length * 2;
    this.view.to = from + length * 3;
    const first = parseInt(ranks, 10);
    if (first < this.view.top || first >= this.view.bottom) {
      this.view.top = 0;
      this.view.bottom = this.result.cluster.nodes;
    }
    this.redraw();
  }

  zoom(factor, part = 0.5) {
    const { view } = this;
    const at = view.from + (view.to - view.from) * part;
    const limit = (this.result.horizon - this.result.begin) * 4 + 60;
    const width = Math.min(limit, Math.max(1, (view.to - view.from) * factor));
    view.from = at - width * part;
    view.to = view.from + width;
    this.redraw();
  }

  zoomNodes(factor, part = 0.5) {
    const { nodes } = this.result.cluster;
    const height = Math.min(nodes, Math.max(1, (this.view.bottom - this.view.top) * factor));
    const at = this.view.top + (this.view.bottom - this.view.top) * part;
    this.view.top = Math.min(nodes - height, Math.max(0, at - height * part));
    this.view.bottom = this.view.top + height;
    this.redraw();
  }

  /** In parts of what is in sight. */
  pan(x, y) {
    const { view } = this;
    const width = view.to - view.from;
    const height = view.bottom - view.top;
    const { begin, horizon, cluster } = this.result;
    view.from = Math.min(horizon, Math.max(begin - width, view.from + x * width));
    view.to = view.from + width;
    view.top = Math.min(cluster.nodes - height, Math.max(0, view.top + y * height));
    view.bottom = view.top + height;
    this.redraw();
  }

  bind() {
    const { canvas } = this;
    const fingers = new Map();
    let moved = 0;
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      const factor = Math.exp((event.deltaY || event.deltaX) * 0.0015);
      if (event.shiftKey) this.zoomNodes(factor, (event.clientY - box.top) / (box.height - kBottom));
      else this.zoom(factor, (event.clientX - box.left - kLeft) / (box.width - kLeft));
    }, { passive: false });
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, event);
      moved = 0;
    });
    canvas.addEventListener('pointermove', (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return this.onHover(this.jobAt(event.clientX, event.clientY), event);
      const box = canvas.getBoundingClientRect();
      const other = [...fingers.values()].find((finger) => finger.pointerId !== event.pointerId);
      if (other) {
        const gap = (a) => Math.max(10, Math.abs(a.clientX - other.clientX));
        this.zoom(gap(before) / gap(event), (other.clientX - box.left - kLeft) / (box.width - kLeft));
      } else {
        const dx = before.clientX - event.clientX;
        const dy = before.clientY - event.clientY;
        moved += Math.abs(dx) + Math.abs(dy);
        this.pan(dx / (box.width - kLeft), dy / (box.height - kBottom));
      }
      fingers.set(event.pointerId, event);
    });
    const up = (event) => {
      if (fingers.delete(event.pointerId) && moved < 4) {
        this.selected = this.jobAt(event.clientX, event.clientY);
        this.onHover(this.selected, event);
        this.redraw();
      }
    };
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', (event) => fingers.delete(event.pointerId));
    canvas.addEventListener('pointerleave', (event) => this.onHover(-1, event));
    canvas.addEventListener('keydown', (event) => {
      const keys = {
        ArrowLeft: () => this.pan(-0.1, 0), ArrowRight: () => this.pan(0.1, 0),
        ArrowUp: () => this.pan(0, -0.1), ArrowDown: () => this.pan(0, 0.1),
        '+': () => this.zoom(0.7), '-': () => this.zoom(1 / 0.7),
        '[': () => this.zoomNodes(1 / 0.7), ']': () => this.zoomNodes(0.7), 0: () => this.all(),
      };
      if (!keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });
  }

  /** What is drawn, for tests: bars in sight with their boxes in canvas pixels. */
  scene() {
    const { bars, jobs } = this.result;
    const seen = new Map();
    this.eachVisible((i) => {
      const box = this.rect(i);
      if (box) seen.set(i, { id: jobs[bars.job[i]].id, kind: bars.kind[i], box: [box[0] + this.left, box[1], box[2] + this.left, box[3]] });
    });
    return [...seen.values()];
  }
}

export function describe(result, job) {
  const lines = [`job ${job.id}${job.user === null ? '' : `, user ${job.user}`}${job.queue === null ? '' : `, queue ${job.queue}`}`];
  lines.push(`${job.units} ${result.cluster.unit}${job.units === 1 ? '' : 's'} (${job.ranks || 'no ranks'}), ${job.outcome}${job.selection ? `, ${job.selection}` : ''}`);
  lines.push(`submitted ${moment(result, job.submit)}`);
  if (job.start !== null) lines.push(`started ${moment(result, job.start)}, waited ${span(job.wait)}`);
  if (job.planned_start !== null) lines.push(`planned for ${moment(result, job.planned_start)}`);
  if (job.ran !== null) lines.push(`ran ${span(job.ran)} of ${span(job.limit)}`);
  if (job.extensions > 0) lines.push(`extended ${job.extensions}×, until ${moment(result, job.expires)}`);
  if (job.announced.length > 0) lines.push(`first announced start ${moment(result, job.announced[0][1])}`);
  if (job.delay) lines.push(`${span(Math.abs(job.delay))} ${job.delay > 0 ? 'later' : 'earlier'} than without extensions`);
  return lines;
}
