// Draws the charts of a report: each .charts element has its points in the JSON script within it
// (page/chart_data.h has the shape). Charts of one element zoom and point together.

// The rows that dygraphs wants: x, then the value of each series.
const rows_of = (chart) => chart.x.map((x, i) => [x, ...chart.series.map((series) => series.y[i])]);

// The range of the y axis, which must show the limits as well as the values.
const value_range = (chart, marks_height = 0) => {
  let least = Infinity;
  let most = -Infinity;
  const see = (value) => {
    if (value === null) return;
    least = Math.min(least, value);
    most = Math.max(most, value);
  };
  for (const series of chart.series) series.y.forEach(see);
  for (const limit of chart.limits) see(limit.value);
  // Some room at the top, for names and marks: so much of the height over the rest of it.
  const room = Math.max(0.2, marks_height / (1 - marks_height));
  if (chart.logarithmic) return [least / 1.5, most * Math.max(2, (1.5 * most / least) ** room)];
  const low = Math.min(0, least);
  return [low * 1.05, most > low ? most + room * (most - low) : low + 1];
};

class ChartGroup {
  constructor(host, groups) {
    this.host = host;
    this.data = JSON.parse(host.querySelector('script').textContent);
    this.groups = groups;
    this.hidden = new Set();
    this.kinds = this.data.mark_kinds;
    this.hidden_kinds = new Set();
    this.marks_height = this.data.named ? (6 + 9 * this.kinds.length) / 140 : 0;  // a plot has some 140 pixels
    this.charts = [];
    this.at = null;  // where the cursor is on the x axis; null: nowhere
    this.first_x = Math.min(...this.data.charts.map((chart) => chart.x[0]));
    this.last_x = Math.max(...this.data.charts.map((chart) => chart.x[chart.x.length - 1]));
    for (const band of this.data.bands) {
      this.first_x = Math.min(this.first_x, band.from);
      this.last_x = Math.max(this.last_x, band.to);
    }
    if (this.last_x <= this.first_x) this.last_x = this.first_x + 1;
    this.used = groups.filter((group) =>
      this.data.charts.some((chart) => chart.series.some((series) => series.group === group)));
    host.append(this.tools());
    for (const chart of this.data.charts) this.add(chart);
    if (this.charts.length > 1) {
      Dygraph.synchronize(this.charts.map((chart) => chart.graph), {range: false});
    }
    if (this.charts.length > 0) {
      this.point(this.charts[0].chart.x[0]);
      this.point(null);
    }
    host.tabIndex = 0;
    host.setAttribute('role', 'group');
    host.addEventListener('keydown', (event) => this.key(event));
  }

  tools() {
    const switch_of = (name, icon, hidden) => {
      const box = element('input', {type: 'checkbox', checked: ''});
      box.addEventListener('change', () => {
        if (box.checked) hidden.delete(name); else hidden.add(name);
        this.redraw();
      });
      return element('label', {}, box, icon, name);
    };
    const switches = this.data.named ? [] :
      this.used.map((group) => switch_of(group, this.swatch(this.groups.indexOf(group)), this.hidden));
    switches.push(...this.kinds.map(({name, shape}) => switch_of(name, kind_icon(shape), this.hidden_kinds)));
    const button = (text, title, action) => {
      const made = element('button', {type: 'button', title, 'aria-label': title}, text);
      made.addEventListener('click', action);
      return made;
    };
    this.cursor = element('div', {class: 'cursor', 'aria-live': 'polite'});
    return element('div', {class: 'tools'},
      element('div', {class: 'row'}, ...switches,
        button('+', 'zoom in', () => this.zoom(0.5)),
        button('−', 'zoom out', () => this.zoom(2)),
        button('all', 'show everything', () => this.show(null))),
      this.cursor);
  }

  swatch(index) {
    const made = element('span', {class: pattern_of(index) ? 'swatch dashed' : 'swatch'});
    made.style.borderTopColor = colour_of(index);
    made.dataset.colour = index;
    return made;
  }

  add(chart) {
    const values = element('span', {class: 'values'});
    const plot = element('div', {class: 'plot', role: 'img', 'aria-label': chart.title});
    const unit = chart.unit ? ', ' + chart.unit : '';
    const scale = chart.logarithmic ? ' (logarithmic)' : '';
    const caption = element('span', {class: 'title'}, chart.title + unit + scale);
    this.host.append(element('figure', {}, element('figcaption', {}, caption, values), plot));
    const entry = {chart, values, plot, first: this.charts.length === 0};
    entry.graph = new Dygraph(plot, rows_of(chart), this.options(entry));
    entry.hairline = element('div', {class: 'hairline'});
    plot.append(entry.hairline);
    this.charts.push(entry);
  }

  looks(entry) {
    const indices = entry.chart.series.map((series) => this.groups.indexOf(series.group));
    const series = {};
    entry.chart.series.forEach((one, i) => {
      series[String(i)] = {strokePattern: pattern_of(indices[i])};
    });
    return {
      colors: indices.map(colour_of),
      series,
      visibility: entry.chart.series.map((one) => this.data.named || !this.hidden.has(one.group)),
      axisLineColor: style('--rule'),
      gridLineColor: style('--rule'),
    };
  }

  options(entry) {
    return {
      ...this.looks(entry),
      // Names may be anything, twice the same too, so series are known to dygraphs by number.
      labels: ['x', ...entry.chart.series.map((one, i) => String(i))],
      legend: 'never',
      strokeWidth: 1.3,
      highlightCircleSize: 2.5,
      connectSeparatedPoints: this.data.x_step === 0,
      drawPoints: entry.chart.x.length === 1,
      pointSize: 3,
      stepPlot: entry.chart.steps,
      logscale: entry.chart.logarithmic,
      valueRange: value_range(entry.chart, this.marks_height),
      dateWindow: [this.first_x, this.last_x],
      rightGap: 8,
      axes: {
        x: {
          axisLabelFormatter: axis_text, valueFormatter: axis_text, pixelsPerLabel: 60,
          ticker: this.data.begin_unix_ms === null ? Dygraph.numericLinearTicks : time_ticks, drawGrid: false,
        },
        y: {axisLabelFormatter: axis_text, axisLabelWidth: 52, pixelsPerLabel: 28},
      },
      underlayCallback: (canvas, area, graph) => this.underlay(entry, canvas, area, graph),
      highlightCallback: (event, x) => this.point(x),
      unhighlightCallback: () => this.point(null),
      interactionModel: this.interaction(),
    };
  }

  // As dygraphs has it with a mouse. A finger moves the cursor and, up and down, the page: dygraphs'
  // own would swallow scrolling.
  interaction() {
    const own = Dygraph.defaultInteractionModel;
    const follow = (event, graph) => {
      if (event.touches.length !== 1) return;
      const box = graph.canvas_.getBoundingClientRect();
      const x = graph.toDataXCoord(event.touches[0].clientX - box.left);
      this.select(x);
    };
    return {
      mousedown: own.mousedown, mousemove: own.mousemove, mouseup: own.mouseup,
      dblclick: () => this.show(null), touchstart: follow, touchmove: follow,
    };
  }

  underlay(entry, canvas, area, graph) {
    const left = (x) => Math.max(area.x, Math.min(area.x + area.w, graph.toDomXCoord(x)));
    canvas.save();
    canvas.font = '11px system-ui, sans-serif';
    canvas.textBaseline = 'top';
    this.data.bands.forEach((band, i) => {
      const from = left(band.from);
      const width = left(band.to) - from;
      if (width <= 0) return;
      if (i % 2 === 1) {
        canvas.fillStyle = style('--band');
        canvas.fillRect(from, area.y, width, area.h);
      }
      canvas.fillStyle = style('--faint');
      if (entry.first && canvas.measureText(band.name).width < width - 6) {
        canvas.fillText(band.name, from + 4, area.y + 10);
      }
    });
    for (const limit of entry.chart.limits) this.limit(limit, canvas, area, graph);
    for (const mark of this.data.marks) {
      const x = graph.toDomXCoord(mark.x);
      if (this.shows(mark) && x >= area.x && x <= area.x + area.w) this.mark(mark, canvas, x, area.y);
    }
    canvas.restore();
  }

  shows(mark) {
    return !(mark.kind ? this.hidden_kinds.has(mark.kind) : this.hidden.has(mark.group));
  }

  mark(mark, canvas, x, top) {
    const line = this.kinds.findIndex((kind) => kind.name === mark.kind);
    const kind = line < 0 ? null : this.kinds[line].shape;
    canvas.save();
    canvas.translate(x, top + (line < 0 ? 3.5 : 5 + 9 * line));
    canvas.scale(4, 4);
    const shape = new Path2D(shapes[(kind || 0) % shapes.length]);
    canvas.fillStyle = kind === null ? colour_of(this.groups.indexOf(mark.group)) : kind_colour(kind);
    canvas.fill(shape);
    if (kind !== null) {  // an edge, for where they stand close
      canvas.strokeStyle = style('--paper');
      canvas.lineWidth = 0.2;
      canvas.stroke(shape);
    }
    canvas.restore();
  }

  limit(limit, canvas, area, graph) {
    const y = graph.toDomYCoord(limit.value);
    if (y < area.y || y > area.y + area.h) return;
    canvas.strokeStyle = canvas.fillStyle = style('--limit');
    canvas.setLineDash([5, 4]);
    canvas.beginPath();
    canvas.moveTo(area.x, y);
    canvas.lineTo(area.x + area.w, y);
    canvas.stroke();
    canvas.setLineDash([]);
    const width = canvas.measureText(limit.label).width;
    canvas.fillText(limit.label, area.x + area.w - width - 4, y - area.y > 16 ? y - 13 : y + 3);
  }

  // Puts the cursor to the point nearest to x, in all charts.
  select(x) {
    const nearest = this.charts[0].chart.x.reduce((best, one) =>
      (Math.abs(one - x) < Math.abs(best - x) ? one : best));
    for (const {chart, graph} of this.charts) {
      const row = chart.x.indexOf(nearest);
      if (row >= 0) graph.setSelection(row); else graph.clearSelection();
    }
    this.point(nearest);
  }

  // Shows what stands at x: the values of each group in every chart, and what happened there.
  point(x) {
    this.at = x;
    for (const entry of this.charts) {
      const [from, to] = entry.graph.xAxisRange();
      const shown = x !== null && x >= from && x <= to;
      entry.hairline.style.display = shown ? 'block' : 'none';
      if (shown) {
        const area = entry.graph.getArea();
        entry.hairline.style.left = entry.graph.toDomXCoord(x) + 'px';
        entry.hairline.style.height = area.y + area.h + 'px';
      }
      // Without a cursor the values keep their room, so that nothing jumps when it comes.
      entry.values.style.visibility = x === null && !this.data.named ? 'hidden' : 'visible';
      if (this.data.named) entry.values.replaceChildren(...this.names(entry.chart, x));
      else if (x !== null) entry.values.replaceChildren(...this.values(entry.chart, x));
    }
    this.cursor.replaceChildren(...(x === null ? [] : this.moment(x)));
  }

  values(chart, x) {
    const row = chart.x.indexOf(x);
    if (row < 0) return [];
    return this.used.filter((group) => !this.hidden.has(group)).flatMap((group) => {
      const found = chart.series.filter((series) => series.group === group)
        .map((series) => series.y[row]).filter((value) => value !== null);
      if (found.length === 0) return [];
      const least = number_text(Math.min(...found), 3);
      const most = number_text(Math.max(...found), 3);
      const range = least === most ? '' : ` [${least}–${most}]`;
      const text = ' ' + number_text(median(found), 3) + range;
      return [element('span', {title: group}, this.swatch(this.groups.indexOf(group)), text)];
    });
  }

  // Each line by its name, and its value where there is a cursor.
  names(chart, x) {
    const row = x === null ? -1 : chart.x.indexOf(x);
    return chart.series.map((series) => {
      const value = row < 0 || series.y[row] === null ? '' : ' ' + number_text(series.y[row], 3);
      if (chart.series.length === 1) return element('b', {}, value);
      return element('span', {}, this.swatch(this.groups.indexOf(series.group)), ' ' + series.name, element('b', {}, value));
    });
  }

  // A point of groups stands for what happened since the one before, a named one for what is near.
  moment(x) {
    const step = this.data.x_step;
    const near = (at) => {
      if (step <= 0) return Math.abs(at - x) < 0.5;
      return this.data.named ? Math.abs(at - x) <= step / 2 : at > x - step && at <= x;
    };
    const band = this.data.bands.find((one) => one.from < x && x <= one.to);
    const parts = [this.when(x) + (band ? ', ' + band.name : '')];
    for (const mark of this.data.marks) {
      if (!near(mark.x) || !this.shows(mark)) continue;
      const kind = this.kinds.find((one) => one.name === mark.kind);
      parts.push(' · ', kind ? kind_icon(kind.shape) : this.swatch(this.groups.indexOf(mark.group)), ' ' + mark.text);
    }
    return parts;
  }

  when(x) {
    if (this.data.begin_unix_ms === null) return `${this.data.x_label} ${axis_text(x)}`;
    const time = new Date(this.data.begin_unix_ms + 1000 * x).toISOString().replace('T', ' ').slice(0, 19);
    return `${span_text(x)} (${time} UTC)`;
  }

  show(range) {
    for (const {graph, chart} of this.charts) {
      graph.updateOptions({dateWindow: range || [this.first_x, this.last_x], valueRange: value_range(chart, this.marks_height)});
    }
    if (this.at !== null) this.point(this.at);
  }

  // Around the cursor where there is one, else around the middle.
  zoom(factor) {
    const [from, to] = this.charts[0].graph.xAxisRange();
    const middle = this.at === null ? (from + to) / 2 : this.at;
    const smallest = 2 * (this.data.x_step || (this.last_x - this.first_x) / 100);
    const width = Math.max(smallest, Math.min(this.last_x - this.first_x, (to - from) * factor));
    const start = Math.max(this.first_x, Math.min(this.last_x - width, middle - width / 2));
    this.show([start, start + width]);
  }

  key(event) {
    if (event.target !== this.host || event.ctrlKey || event.metaKey || event.altKey) return;
    const xs = this.charts[0].chart.x;
    const at = this.at === null ? -1 : xs.indexOf(this.at);
    const actions = {
      ArrowRight: () => this.select(xs[Math.min(xs.length - 1, at + 1)]),
      ArrowLeft: () => this.select(xs[Math.max(0, at - 1)]),
      '+': () => this.zoom(0.5), '-': () => this.zoom(2), '0': () => this.show(null),
    };
    if (!actions[event.key]) return;
    actions[event.key]();
    event.preventDefault();
  }

  redraw() {
    for (const entry of this.charts) entry.graph.updateOptions(this.looks(entry));
    for (const swatch of this.host.querySelectorAll('.swatch')) {
      swatch.style.borderTopColor = colour_of(Number(swatch.dataset.colour));
    }
    for (const icon of this.host.querySelectorAll('.kind')) {
      icon.firstChild.setAttribute('fill', kind_colour(Number(icon.dataset.kind)));
    }
    if (this.at !== null) this.point(this.at);
  }
}

const colours = JSON.parse(document.getElementById('groups').textContent);
const drawn = [...document.querySelectorAll('.charts')].map((host) => new ChartGroup(host, colours));
const redraw = () => drawn.forEach((group) => group.redraw());
dark.addEventListener('change', redraw);
// After dygraphs has taken the new width: the cursor's line is ours.
addEventListener('resize', () => requestAnimationFrame(() => drawn.forEach((group) => group.point(group.at))));
addEventListener('beforeprint', () => { document.documentElement.classList.add('print'); redraw(); });
addEventListener('afterprint', () => { document.documentElement.classList.remove('print'); redraw(); });
