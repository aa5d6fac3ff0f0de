// Colours, shapes, and how numbers and times are written: what the charts of page.js are drawn with.
'use strict';

const dark = matchMedia('(prefers-color-scheme: dark)');
const printing = () => document.documentElement.classList.contains('print');

// Okabe and Ito's colours, which colour-blind readers can tell apart, darkened or lightened for the
// paper; grey comes first, for the reference. Beyond their number lines are dashed.
const palettes = {
  light: ['#6b7280', '#0072b2', '#d55e00', '#00875f', '#b0387f', '#8a6d00', '#3a8fc9', '#7a4fb5'],
  dark: ['#aab2bd', '#4fb0ee', '#ff914d', '#3ecf9f', '#f08cc4', '#e5c34a', '#9ad4ff', '#b79cf0'],
};
const colour_of = (index) => {
  const palette = is_dark() ? palettes.dark : palettes.light;
  return palette[index % palette.length];
};
// Marks by kind: a shape, a colour and a line of its own each, so that any one of them will do.
const shapes = [
  'M-1,-.9 L1,-.9 L0,1 Z', 'M0,-1.2 L1.2,0 L0,1.2 L-1.2,0 Z', 'M-1,0 a1,1 0 1,0 2,0 a1,1 0 1,0 -2,0 Z',
  'M-1,-.6 L-.6,-1 L0,-.4 L.6,-1 L1,-.6 L.4,0 L1,.6 L.6,1 L0,.4 L-.6,1 L-1,.6 L-.4,0 Z', 'M-.9,-.9 h1.8 v1.8 h-1.8 Z',
  'M-1,.9 L1,.9 L0,-1 Z',
];
const kind_colours = {
  light: ['#d01050', '#0059a0', '#00734f', '#a3420a', '#5a636e', '#7a4fb5'],
  dark: ['#ff8fb0', '#6cc1ff', '#3ecf9f', '#ffab70', '#aab2bd', '#b79cf0'],
};
const is_dark = () => dark.matches && !printing();
const kind_colour = (index) => kind_colours[is_dark() ? 'dark' : 'light'][index % shapes.length];
const kind_icon = (index) => {
  const make = (name, attributes) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const icon = make('svg', {viewBox: '-1.5 -1.5 3 3', class: 'kind', 'aria-hidden': 'true'});
  icon.append(make('path', {d: shapes[index % shapes.length], fill: kind_colour(index)}));
  icon.dataset.kind = index;
  return icon;
};
const pattern_of = (index) => (index < palettes.light.length ? null : [7, 3]);
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const element = (name, attributes, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

const number_text = (value, digits = 4) => {
  const size = Math.abs(value);
  for (const [unit, name] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) {
    if (size >= unit * 0.99995) return Number((value / unit).toPrecision(digits)) + ' ' + name;
  }
  return String(Number(value.toPrecision(digits)));
};
const axis_text = (value) => number_text(value).replace(' ', '');

// Seconds since the begin, as hours, minutes and seconds; fractions where ticks are so close.
const span_text = (seconds) => {
  const whole = Math.abs(seconds);
  const two = (value) => String(Math.floor(value)).padStart(2, '0');
  const rest = whole % 60;
  const tail = Number.isInteger(Number(rest.toFixed(3))) ? two(Math.round(rest)) : rest.toFixed(1).padStart(4, '0');
  return (seconds < 0 ? '-' : '') + `${Math.floor(whole / 3600)}:${two((whole % 3600) / 60)}:${tail}`;
};
const time_steps = [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200];
const time_ticks = (from, to, pixels) => {
  const least = (to - from) / Math.max(1, Math.floor(pixels / 70));
  const step = time_steps.find((one) => one >= least) || 86400 * Math.ceil(least / 86400);
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push({v: at, label: span_text(at)});
  return ticks;
};

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
