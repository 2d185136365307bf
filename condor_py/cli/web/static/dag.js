// Draws a long DAG on a canvas. The graph comes once, later only the states that changed.
"use strict";

(() => {
const DOWN = 22, LEAST_ACROSS = 10, MOST_ACROSS = 60; // distances of rows and nodes in units of the drawing
const NAMES_FROM = 70; // distance of nodes in pixels from which names are shown
const CLASSES = {
  D: "--done", R: "--run", Q: "--idle", H: "--held", B: "--accent", P: "--accent", N: "--ready", W: "--waits",
  F: "--bad", U: "--futile",
};
let canvas, graph = null, across = LEAST_ACROSS, scale = 1, left = 0, top_ = 0, fitted = false, frame = 0;

function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  const found = { ink: of("--ink"), faint: of("--faint"), card: of("--card"), critical: of("--accent") };
  for (const letter of Object.keys(CLASSES)) found[letter] = of(CLASSES[letter]);
  found.N = of("--accent-soft"); found.W = of("--strong-rule"); found.U = of("--bad-soft");
  return found;
}

async function load(since) {
  const address = canvas.dataset.address + "?graph=1" + (since ? "&since=" + since : "");
  const answer = await fetch(address, { headers: { "Accept": "application/json" } });
  if (!answer.ok) return;
  const told = await answer.json();
  if (since && graph && told.edition === graph.edition) {
    for (const [node, letter] of told.changed) graph.states[node] = letter;
    graph.version = told.version;
    graph.critical = told.critical;
  } else if (told.names) {
    graph = told;
    graph.states = [...told.states];
    const box = canvas.getBoundingClientRect(), widest = told.x.reduce((most, x) => Math.max(most, x), 1);
    graph.height = told.y.reduce((most, y) => Math.max(most, y), 1) * DOWN;
    across = Math.max(LEAST_ACROSS, Math.min(MOST_ACROSS, graph.height * box.width / Math.max(1, box.height) / widest));
    graph.width = widest * across;
    fitted = false;
  } else if (since) {
    return load(0);
  }
  if (graph) paths();
  draw();
}

// The edges as one path, and those of the critical path as another.
function paths() {
  const { x, y, edges } = graph;
  if (!graph.lines) {
    graph.lines = new Path2D();
    for (let at = 0; at < edges.length; at += 2) {
      graph.lines.moveTo(x[edges[at]] * across, y[edges[at]] * DOWN);
      graph.lines.lineTo(x[edges[at + 1]] * across, y[edges[at + 1]] * DOWN);
    }
  }
  graph.chain = new Path2D();
  graph.critical.forEach((node, at) => {
    if (at) graph.chain.lineTo(x[node] * across, y[node] * DOWN);
    else graph.chain.moveTo(x[node] * across, y[node] * DOWN);
  });
}

function size() {
  const ratio = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
  const width = Math.round(box.width * ratio), height = Math.round(box.height * ratio);
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  return ratio;
}

function fit() {
  const box = canvas.getBoundingClientRect();
  scale = Math.min(4, (box.width - 40) / (graph.width + 1), (box.height - 40) / (graph.height + 1));
  left = (box.width - graph.width * scale) / 2;
  top_ = (box.height - graph.height * scale) / 2;
  fitted = true;
}

function draw() {
  if (!graph || frame) return;
  frame = requestAnimationFrame(() => { frame = 0; paint(); });
}

function paint() {
  const ratio = size(), pen = canvas.getContext("2d"), paint = colours();
  if (!fitted) fit();
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.fillStyle = paint.card;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  const set = () => pen.setTransform(scale * ratio, 0, 0, scale * ratio, left * ratio, top_ * ratio);
  set();
  pen.strokeStyle = paint.faint;
  pen.globalAlpha = Math.max(0.15, Math.min(0.6, Math.max(3000 / graph.edges.length, scale / 4)));
  pen.lineWidth = 0.7 / scale;
  pen.stroke(graph.lines);
  pen.globalAlpha = 1;
  pen.strokeStyle = paint.critical;
  pen.lineWidth = 2.5 / scale;
  pen.stroke(graph.chain);
  nodes(pen, paint);
}

// Nodes that can be seen, all of one state at a time; names where there is room for them.
function nodes(pen, paint) {
  const box = canvas.getBoundingClientRect(), { x, y, states, names } = graph;
  const half = Math.min(4, Math.max(1.1 / scale, 3.2)), seen = new Map();
  for (let node = 0; node < x.length; node++) {
    const px = x[node] * across * scale + left, py = y[node] * DOWN * scale + top_;
    if (px < -60 || py < -20 || px > box.width + 60 || py > box.height + 20) continue;
    const letter = states[node];
    if (!seen.has(letter)) seen.set(letter, []);
    seen.get(letter).push(node);
  }
  for (const [letter, found] of seen) {
    pen.fillStyle = paint[letter];
    pen.beginPath();
    for (const node of found) pen.rect(x[node] * across - half, y[node] * DOWN - half, 2 * half, 2 * half);
    pen.fill();
    if (scale > 1) { pen.strokeStyle = letter === "N" ? paint.critical : letter === "U" ? paint.F : paint.faint; pen.lineWidth = 0.6 / scale; pen.stroke(); }
  }
  if (scale * across < NAMES_FROM) return;
  pen.fillStyle = paint.ink;
  pen.font = 11 / scale + "px system-ui, sans-serif";
  pen.textAlign = "center";
  for (const found of seen.values()) {
    for (const node of found) pen.fillText(names[node].slice(0, 14), x[node] * across, y[node] * DOWN + half + 12 / scale);
  }
}

function zoom(factor, px, py) {
  const next = Math.max(0.01, Math.min(40, scale * factor));
  left = px - (px - left) * next / scale;
  top_ = py - (py - top_) * next / scale;
  scale = next;
  draw();
}

function nodeAt(px, py) {
  if (!graph) return -1;
  const wx = (px - left) / scale, wy = (py - top_) / scale, reach = Math.max(4, 6 / scale);
  let best = -1, least = reach * reach;
  for (let node = 0; node < graph.x.length; node++) {
    const dx = graph.x[node] * across - wx, dy = graph.y[node] * DOWN - wy, far = dx * dx + dy * dy;
    if (far < least) { least = far; best = node; }
  }
  return best;
}

function listen() {
  let held = null, moved = false;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    held = place(event); moved = false; canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [px, py] = place(event);
    if (!held) {
      const node = nodeAt(px, py);
      canvas.title = node < 0 ? "" : graph.names[node];
      canvas.classList.toggle("over", node >= 0);
      return;
    }
    const dx = px - held[0], dy = py - held[1];
    if (Math.abs(dx) + Math.abs(dy) > 3) moved = true;
    if (moved) { left += dx; top_ += dy; held = [px, py]; draw(); }
  });
  canvas.addEventListener("pointerup", (event) => {
    const node = moved ? -1 : nodeAt(...place(event));
    held = null;
    if (node >= 0) location.href = canvas.dataset.address + "?node=" + node + "#nodes";
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 400), ...place(event));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !graph) return;
    const box = canvas.getBoundingClientRect(), step = 60, middle = [box.width / 2, box.height / 2];
    const keys = {
      ArrowLeft: () => { left += step; }, ArrowRight: () => { left -= step; },
      ArrowUp: () => { top_ += step; }, ArrowDown: () => { top_ -= step; },
      "+": () => zoom(1.4, ...middle), "=": () => zoom(1.4, ...middle), "-": () => zoom(1 / 1.4, ...middle), "0": fit,
    };
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); draw(); }
  });
  new ResizeObserver(draw).observe(canvas);
}

function begin() {
  const found = document.getElementById("dag-canvas");
  if (!found) return;
  if (found !== canvas) { canvas = found; listen(); }
  if (!graph || graph.edition !== Number(canvas.dataset.edition)) load(0);
  else if (graph.version < Number(canvas.dataset.version)) load(graph.version);
  if (graph && fitted) paint();
}

document.addEventListener("refreshed", begin);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
begin();
})();
