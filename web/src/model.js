// The results of the page as typed arrays, ready to be drawn and searched.

/** Calls fn(first, last) for each range of an idset such as "0-3,7". */
export function eachRange(text, fn) {
  let at = 0;
  while (at < text.length) {
    let comma = text.indexOf(',', at);
    if (comma < 0) comma = text.length;
    const dash = text.indexOf('-', at);
    const first = parseInt(text.slice(at, comma), 10);
    fn(first, dash > 0 && dash < comma ? parseInt(text.slice(dash + 1, comma), 10) : first);
    at = comma + 1;
  }
}

export const kKinds = ['done', 'killed', 'running', 'planned', 'extension'];

/** Bars: [start, end) over ranks [first, last] of a job, in time order. */
function barsOf(result) {
  const bars = { start: [], end: [], first: [], last: [], job: [], kind: [] };
  const add = (start, end, ranks, job, kind) => {
    if (!(end > start)) return;
    eachRange(ranks, (first, last) => {
      bars.start.push(start);
      bars.end.push(end);
      bars.first.push(first);
      bars.last.push(last);
      bars.job.push(job);
      bars.kind.push(kind);
    });
  };
  result.jobs.forEach((job, i) => {
    if (!job.ranks) return;
    if (job.start === null) {
      if (job.planned_start !== null) add(job.planned_start, job.end ?? result.horizon, job.ranks, i, 3);
      return;
    }
    const now = result.end;
    const end = job.end ?? now;
    const own = job.limit === null ? end : Math.min(end, job.start + job.limit);
    const kind = job.outcome === 'killed' || job.outcome === 'canceled' ? 1 : job.outcome === 'running' ? 2 : 0;
    add(job.start, own, job.ranks, i, kind);
    if (job.extensions > 0) add(own, end, job.ranks, i, 4);
    // What a running job may still hold is planned, not past.
    if (job.outcome === 'running') add(now, job.expires ?? result.horizon, job.ranks, i, 3);
  });
  return {
    count: bars.start.length,
    start: Float64Array.from(bars.start),
    end: Float64Array.from(bars.end),
    first: Uint32Array.from(bars.first),
    last: Uint32Array.from(bars.last),
    job: Uint32Array.from(bars.job),
    kind: Uint8Array.from(bars.kind),
  };
}

export function readResult(document, index) {
  const { columns, rows } = document.jobs;
  const jobs = rows.map((row) => {
    const job = {};
    for (let k = 0; k < columns.length; ++k) job[columns[k]] = row[k];
    job.key = `${job.id} ${job.user ?? ''} ${job.queue ?? ''}`.toLowerCase();
    job.wait = job.start === null ? null : job.start - job.submit;
    const ran = job.start === null || job.end === null || job.outcome === 'running' ? null : job.end - job.start;
    job.ran = ran;
    job.slowdown = ran === null ? null : Math.max(1, (job.end - job.submit) / Math.max(ran, 10));
    job.delay = job.start === null || job.baseline_start === null ? null : job.start - job.baseline_start;
    return job;
  });
  let horizon = document.end;
  for (const job of jobs) {
    for (const time of [job.end, job.outcome === 'running' ? job.expires : null]) {
      if (time !== null && time > horizon) horizon = time;
    }
  }
  const result = { ...document, jobs, horizon, index };
  // Dates for what has them; a scenario counts from its own start.
  result.relative = document.command === 'run' || (document.command === 'snapshot' ? document.origin !== 0 : document.origin < 1e8);
  const extend = document.options?.extend ? `, extend ${document.options.extend}` : '';
  const snapshot = document.command === 'snapshot' ? ', plan of a snapshot' : '';
  result.label = `${document.name}: ${document.config.policy ?? document.command}${extend}${snapshot}`;
  result.bars = barsOf(result);
  result.delayed = jobs.some((job) => job.delay > 0);
  return result;
}

/** Indices of the jobs that match: words, or user:X and queue:X; all must. */
export function find(result, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  const tests = words.map((word) => {
    const field = word.match(/^(user|queue|id|job|outcome):(.*)$/);
    if (!field) return (job) => job.key.includes(word);
    const column = field[1] === 'job' ? 'id' : field[1];
    return (job) => String(job[column] ?? '').toLowerCase() === field[2];
  });
  const hits = [];
  result.jobs.forEach((job, i) => {
    if (tests.every((test) => test(job))) hits.push(i);
  });
  return hits;
}

export function span(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  const size = Math.abs(seconds);
  if (size < 120) return `${+seconds.toPrecision(3)} s`;
  if (size < 7200) return `${(seconds / 60).toFixed(1)} min`;
  if (size < 172800) return `${(seconds / 3600).toFixed(2)} h`;
  return `${(seconds / 86400).toFixed(1)} d`;
}

/** "2001-09-09 01:46:40" when counted from a date, else seconds. */
export function moment(result, seconds) {
  if (seconds === null || seconds === undefined) return '–';
  if (result.relative) return `${+seconds.toFixed(3)} s`;
  return new Date((result.origin + seconds) * 1000).toISOString().slice(0, 19).replace('T', ' ');
}
