"use strict";
(() => {
  const recording = JSON.parse(document.getElementById("recording").textContent);
  const $ = (id) => document.getElementById(id);
  const outcomes = [...recording.layerNames, "failed", "cancelled"];
  const stageNames = recording.stageNames;
  const waiting = new Set(["queue", "decode queue"].map((name) => stageNames.indexOf(name)));
  const onConnection = new Set(["connect", "first byte", "body"].map((name) => stageNames.indexOf(name)));
  const onDecoder = new Set(["decode", "process"].map((name) => stageNames.indexOf(name)));
  const loads = recording.loads.map((load, index) => ({
    ...load, index, end: load.start + load.duration, text: `#${load.number} ${load.source}`.toLowerCase(),
  }));
  const whole = {
    start: loads.reduce((least, load) => Math.min(least, load.start), loads.length ? Infinity : 0),
    end: loads.reduce((most, load) => Math.max(most, load.end), 0),
  };
  if (whole.end <= whole.start) whole.end = whole.start + 1000;

  // What is shown, and how. Everything on the page is drawn from this.
  const state = {
    query: "", layers: new Set(), window: { ...whole }, unit: "loads", scale: "time", view: "waterfall",
    selected: null, shown: loads,
  };

  // Words and numbers.

  const number = new Intl.NumberFormat("en");
  const digits = (value, count) =>
    value.toLocaleString("en", { maximumFractionDigits: count, minimumFractionDigits: count });

  function duration(microseconds) {
    if (microseconds === 0) return "<1 µs";
    const size = Math.abs(microseconds);
    if (size < 1000) return `${number.format(microseconds)} µs`;
    if (size < 100_000) return `${digits(microseconds / 1000, 1)} ms`;
    if (size < 1_000_000) return `${digits(microseconds / 1000, 0)} ms`;
    return `${digits(microseconds / 1_000_000, size < 100_000_000 ? 2 : 0)} s`;
  }

  /** A time on an axis, as exact as the distance to the next one asks for. */
  function moment(microseconds, tick) {
    if (microseconds === 0) return "0";
    const [unit, name] = tick >= 100_000 ? [1_000_000, "s"] : tick >= 100 ? [1000, "ms"] : [1, "µs"];
    return `${digits(microseconds / unit, Math.max(0, Math.ceil(Math.log10(unit / tick) - 1e-9)))} ${name}`;
  }

  function bytes(count) {
    if (count < 1000) return `${number.format(count)} B`;
    if (count < 1_000_000) return `${digits(count / 1000, 1)} kB`;
    return `${digits(count / 1_000_000, count < 100_000_000 ? 2 : 0)} MB`;
  }

  const percent = (part, all) => (all ? `${digits((100 * part) / all, part === all || !part ? 0 : 1)}%` : "–");
  const plural = (count, word) => `${number.format(count)} ${word}${count === 1 ? "" : "s"}`;

  // Elements. Text is always set as text: hosts and URLs come from outside.

  function element(name, attributes = {}, ...children) {
    const result = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "color") result.style.setProperty("--color", value);
      else if (value !== undefined && value !== null) result.setAttribute(key, value);
    }
    result.append(...children.filter((child) => child !== undefined && child !== null));
    return result;
  }

  function shape(name, attributes, text) {
    const result = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) result.setAttribute(key, value);
    if (text !== undefined) result.textContent = text;
    return result;
  }

  const colorOf = (outcome) => `var(--${outcome})`;
  const stageColor = (stage) => `var(--s${stage})`;

  // Sums.

  const downloaded = (load) => (load.report && !load.sharesDownload ? load.report.receivedBytes : 0);
  const fromStore = (load) =>
    load.outcome === "storage" || load.outcome === "revalidation" ? load.report.fileBytes : 0;
  const bytesOf = (load) => downloaded(load) + fromStore(load) + (load.outcome === "source" ? load.report.fileBytes : 0);
  // Files and closures are for no cache to answer.
  const isForCaches = (load) => load.report && load.outcome !== "source";
  const isHit = (load) => ["memory", "storage", "revalidation"].includes(load.outcome);

  function quantile(sorted, share) {
    return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] : 0;
  }

  function counts(list) {
    const result = Object.fromEntries(outcomes.map((outcome) => [outcome, 0]));
    for (const load of list) result[load.outcome] += 1;
    return result;
  }

  function steps(span, most) {
    let step = 10 ** Math.floor(Math.log10(span / most));
    for (const factor of [1, 2, 5, 10]) {
      if (span / (step * factor) <= most) return Math.max(1, step * factor);
    }
    return step * 10;
  }

  // Summary.

  function drawStats() {
    const list = state.shown;
    const by = counts(list);
    const good = list.filter((load) => load.report);
    const hits = good.filter(isHit).length;
    const forCaches = good.filter(isForCaches).length;
    const times = good.map((load) => load.duration).sort((a, b) => a - b);
    const received = list.reduce((sum, load) => sum + downloaded(load), 0);
    const stored = list.reduce((sum, load) => sum + fromStore(load), 0);
    const parts = ["memory", "storage", "revalidation"].map((layer) => `${layer} ${percent(by[layer], forCaches)}`);
    const tile = (key, title, value, exact, remark, tone) =>
      element("div", { "data-stat": key, "data-value": exact },
        element("dt", {}, title), element("dd", tone ? { class: tone } : {}, value), element("dd", {}, remark));
    $("stats").replaceChildren(
      tile("loads", "Loads", number.format(list.length), list.length,
        list.length === loads.length ? "in this recording" : `of ${number.format(loads.length)} recorded`),
      tile("hits", "Answered by caches", percent(hits, forCaches), hits,
        `${number.format(hits)} of ${number.format(forCaches)} that they could answer: ${parts.join(", ")}`),
      tile("received", "Received", bytes(received), received, `${plural(by.network, "load")} from the network`),
      tile("stored", "Not fetched again", bytes(stored), stored, "files from the store"),
      tile("median", "Median time", times.length ? duration(quantile(times, 0.5)) : "–", quantile(times, 0.5),
        times.length ? `95% within ${duration(quantile(times, 0.95))}` : "nothing was loaded"),
      tile("failed", "Failed", number.format(by.failed), by.failed, `${number.format(by.cancelled)} cancelled`,
        by.failed ? "bad" : undefined));
  }

  const stagesOf = { waterfall: null, connections: onConnection, decoders: onDecoder };

  function drawLegend() {
    const used = new Set(loads.flatMap((load) => load.stages.map(([stage]) => stage)));
    $("legend").replaceChildren(...stageNames.flatMap((name, stage) =>
      used.has(stage) && (stagesOf[state.view]?.has(stage) ?? true)
        ? [element("li", {}, element("span", { class: "swatch", color: stageColor(stage) }), name)] : []));
  }

  // What served, over time.

  const chart = { width: 0, height: 0, left: 50, right: 40, top: 8, bottom: 20 };
  const inChart = (time) =>
    chart.left + ((time - state.window.start) / (state.window.end - state.window.start))
      * (chart.width - chart.left - chart.right);
  const fromChart = (x) =>
    state.window.start + ((x - chart.left) / (chart.width - chart.left - chart.right))
      * (state.window.end - state.window.start);

  function drawChart() {
    const svg = $("chart");
    const box = svg.getBoundingClientRect();
    [chart.width, chart.height] = [Math.max(220, box.width), Math.max(80, box.height)];
    svg.setAttribute("viewBox", `0 0 ${chart.width} ${chart.height}`);
    const { start, end } = state.window;
    const width = chart.width - chart.left - chart.right;
    const height = chart.height - chart.top - chart.bottom;
    const columnCount = Math.max(8, Math.min(96, Math.floor(width / 9)));
    const columns = Array.from({ length: columnCount }, () => ({
      sums: Object.fromEntries(outcomes.map((outcome) => [outcome, 0])), hits: 0, good: 0,
    }));
    for (const load of state.shown) {
      const place = Math.floor(((load.end - start) / (end - start)) * columnCount);
      const column = columns[Math.max(0, Math.min(columnCount - 1, place))];
      column.sums[load.outcome] += state.unit === "loads" ? 1 : bytesOf(load);
      if (isForCaches(load)) column.good += 1;
      if (isHit(load)) column.hits += 1;
    }
    const most = Math.max(1, ...columns.map((column) => outcomes.reduce((sum, name) => sum + column.sums[name], 0)));
    const step = steps(most, 3);
    const top = Math.ceil(most / step) * step;
    const y = (value) => chart.top + height - (value / top) * height;
    const parts = [];
    for (let value = 0; value <= top; value += step) {
      parts.push(shape("line", { class: "grid", x1: chart.left, x2: chart.left + width, y1: y(value), y2: y(value) }));
      const text = state.unit === "loads" ? number.format(value) : bytes(value).replace(/\.0+ /, " ");
      parts.push(shape("text", { x: chart.left - 6, y: y(value) + 4, "text-anchor": "end" }, text));
    }
    const columnWidth = width / columnCount;
    columns.forEach((column, index) => {
      let base = 0;
      for (const outcome of outcomes) {
        const value = column.sums[outcome];
        if (!value) continue;
        const bar = shape("rect", {
          x: chart.left + index * columnWidth + 0.75, width: Math.max(1, columnWidth - 1.5),
          y: y(base + value), height: Math.max(1, (value / top) * height), rx: 1.5,
        });
        bar.style.fill = colorOf(outcome);
        parts.push(bar);
        base += value;
      }
    });
    // The share of hits, over five columns: a column alone may hold a single load. Where there were none, there is a gap.
    let line = [];
    const endLine = () => {
      if (line.length > 1) parts.push(shape("polyline", { class: "ratio", points: line.join(" ") }));
      line = [];
    };
    columns.forEach((column, index) => {
      if (!column.good) return endLine();
      const near = columns.slice(Math.max(0, index - 2), index + 3);
      const share = near.reduce((sum, { hits }) => sum + hits, 0) / near.reduce((sum, { good }) => sum + good, 0);
      line.push(`${chart.left + (index + 0.5) * columnWidth},${chart.top + height * (1 - share)}`);
    });
    endLine();
    for (const [share, text] of [[1, "100%"], [0, "0%"]]) {
      parts.push(shape("text",
        { class: "ratio-text", x: chart.left + width + 6, y: chart.top + height * (1 - share) + 4 }, text));
    }
    const tick = steps(end - start, Math.max(5, Math.floor(width / 110)));
    for (let time = Math.ceil(start / tick) * tick; time <= end; time += tick) {
      const anchor = inChart(time) < chart.left + 20 ? "start" : "middle";
      parts.push(shape("text", { x: inChart(time), y: chart.height - 4, "text-anchor": anchor }, moment(time, tick)));
    }
    parts.push(shape("rect", { class: "view", id: "view-mark", y: chart.top, height, width: 0, x: 0, rx: 2 }));
    svg.replaceChildren(...parts);
    const by = counts(state.shown);
    const sums = outcomes.filter((name) => by[name]).map((name) => `${name} ${number.format(by[name])}`);
    $("chart-text").textContent =
      `${state.unit === "loads" ? "Loads" : "Bytes of files"} by layer, when they ended`
      + `${state.unit === "bytes" ? "; what comes from memory is no file" : ""}. `
      + `The line is the share that caches answered. ${sums.length ? sums.join(", ") + "." : "No load is shown."}`;
    drawViewMark();
  }

  // Filters.

  function drawChips() {
    const by = counts(loads.filter(matchesText).filter(isInWindow));
    const present = outcomes.filter((name) => loads.some((load) => load.outcome === name));
    const focused = document.activeElement?.dataset?.layer;
    $("chips").replaceChildren(...present.map((name) =>
      element("button", { type: "button", "data-layer": name, "aria-pressed": state.layers.has(name) },
        element("span", { class: "dot", color: colorOf(name) }), name, element("b", {}, number.format(by[name])))));
    if (focused) $("chips").querySelector(`[data-layer="${focused}"]`)?.focus();
  }

  // A number is one load's: those that begin so as well aren't meant.
  const matchesText = (load) =>
    /^#\d+$/.test(state.query) ? state.query === `#${load.number}` : load.text.includes(state.query);
  const isInWindow = (load) => load.end >= state.window.start && load.start <= state.window.end;

  function filter() {
    state.shown = loads.filter((load) =>
      matchesText(load) && isInWindow(load) && (!state.layers.size || state.layers.has(load.outcome)));
    const text = state.shown.length === loads.length
      ? plural(loads.length, "load") : `${number.format(state.shown.length)} of ${plural(loads.length, "load")}`;
    $("shown").textContent = text;
    $("shown").dataset.value = state.shown.length;
    drawAll();
  }

  // The waterfall: as many rows as are in view, however many there are.

  const rowHeight = () => parseFloat(getComputedStyle($("list")).getPropertyValue("--row")) || 32;

  function visibleRange() {
    const list = $("list");
    const height = rowHeight();
    const first = Math.max(0, Math.floor(list.scrollTop / height));
    return [first, Math.min(state.shown.length, first + Math.ceil(list.clientHeight / height) + 1)];
  }

  function axisOf(rows) {
    if (state.scale === "side") return { start: 0, end: Math.max(1, ...rows.map((load) => load.duration)) };
    const start = Math.min(...rows.map((load) => load.start));
    return { start, end: Math.max(start + 1, ...rows.map((load) => load.end)) };
  }

  function drawAxis(axis) {
    const width = $("axis").clientWidth || 300;
    const tick = steps(axis.end - axis.start, Math.max(2, Math.floor(width / 90)));
    const parts = [];
    for (let time = Math.ceil(axis.start / tick) * tick; time <= axis.end; time += tick) {
      const place = (time - axis.start) / (axis.end - axis.start);
      if (place > 0.97) break;
      const mark = element("i", {}, moment(time, tick));
      mark.style.left = `${100 * place}%`;
      parts.push(mark);
    }
    $("axis").replaceChildren(...parts);
  }

  function track(load, axis) {
    const result = element("span", { class: "track", "aria-hidden": "true" });
    const span = axis.end - axis.start;
    const begin = state.scale === "side" ? 0 : load.start;
    const add = (from, length, attributes) => {
      const start = Math.max(axis.start, from);
      const end = Math.min(axis.end, from + length);
      if (end < start) return;
      const part = element("i", attributes);
      part.style.left = `min(${(100 * (start - axis.start)) / span}%, 100% - 2px)`;
      part.style.width = `${(100 * (end - start)) / span}%`;
      result.append(part);
    };
    if (!load.report) {
      add(begin, load.duration, { class: "bad", color: colorOf(load.outcome) });
      return result;
    }
    add(begin, load.duration, { class: "whole", color: colorOf(load.outcome) });
    for (const [stage, from, length] of load.stages) {
      // What took no time isn't drawn, unless there was nothing else.
      if (!length && load.duration) continue;
      add(begin + from, length, {
        class: waiting.has(stage) ? "wait" : "", color: stageColor(stage), title: `${stageNames[stage]} ${duration(length)}`,
      });
    }
    return result;
  }

  function drawRows() {
    const list = $("list");
    const height = rowHeight();
    const [first, last] = visibleRange();
    const visible = state.shown.slice(first, last);
    $("rows").style.height = `${state.shown.length * height}px`;
    $("empty").hidden = state.shown.length > 0;
    $("empty").textContent = loads.length ? "No load matches the filters." : "Nothing has been recorded.";
    list.hidden = !state.shown.length;
    if (!visible.length) {
      $("rows").replaceChildren();
      $("axis").replaceChildren();
      list.removeAttribute("aria-activedescendant");
      return;
    }
    const axis = axisOf(visible);
    drawAxis(axis);
    $("rows").replaceChildren(...visible.map((load, offset) => {
      const row = element("div", {
        class: "row", role: "option", id: `load-${load.index}`, "data-index": load.index,
        "aria-selected": state.selected === load.index, "aria-setsize": state.shown.length,
        "aria-posinset": first + offset + 1,
        "aria-label": `Load ${load.number}, ${load.source}, ${load.outcome}, ${duration(load.duration)}`,
      },
      element("span", { class: "name" },
        element("span", { class: "dot", color: colorOf(load.outcome), title: load.outcome }),
        element("em", {}, `#${load.number}`), element("span", { title: load.source }, load.source)),
      element("span", { class: "time" }, duration(load.duration)), track(load, axis));
      row.style.top = `${(first + offset) * height}px`;
      return row;
    }));
    if ($(`load-${state.selected}`)) list.setAttribute("aria-activedescendant", `load-${state.selected}`);
    else list.removeAttribute("aria-activedescendant");
    state.inView = visible.length && {
      start: Math.min(...visible.map((load) => load.start)), end: Math.max(...visible.map((load) => load.end)),
    };
    drawViewMark();
  }

  /** Shows in the chart which part of the time the rows in view are of. */
  function drawViewMark() {
    const mark = $("view-mark");
    if (!mark || !state.inView || state.view !== "waterfall") return mark?.setAttribute("width", 0);
    const from = Math.max(chart.left, inChart(state.inView.start));
    const to = Math.min(chart.width - chart.right, inChart(state.inView.end));
    mark.setAttribute("x", from);
    mark.setAttribute("width", Math.max(0, Math.max(3, to - from)));
  }

  // Lanes of connections and decoders.

  const laneHeight = 26;

  /** The span that an arrow leads to: along the lane, or to the nearest one in the next lane. */
  function nextSpan(hits, key) {
    const current = hits.find((hit) => hit.load.index === state.selected);
    if (!current) return hits[0];
    const nearest = (list) => list.reduce((best, hit) =>
      !best || Math.abs(hit.start - current.start) < Math.abs(best.start - current.start) ? hit : best, null);
    const others = hits.filter((hit) => hit.load !== current.load);
    if (key === "ArrowLeft") return nearest(others.filter((hit) => hit.y === current.y && hit.start < current.start));
    if (key === "ArrowRight") return nearest(others.filter((hit) => hit.y === current.y && hit.start > current.start));
    const isNext = key === "ArrowUp" ? (hit) => hit.y < current.y : (hit) => hit.y > current.y;
    const lanes = others.filter(isNext).map((hit) => hit.y);
    const lane = key === "ArrowUp" ? Math.max(...lanes) : Math.min(...lanes);
    return nearest(others.filter((hit) => hit.y === lane));
  }

  function drawLanes(view) {
    const panel = $(view);
    const names = recording[view];
    const key = view === "connections" ? "connection" : "decoder";
    const shared = view === "connections" ? "sharesDownload" : "sharesDecode";
    const stages = stagesOf[view];
    const spans = state.shown.filter((load) => load[key] !== undefined && !load[shared]).flatMap((load) =>
      load.stages.filter(([stage]) => stages.has(stage)).map(([stage, from, length]) =>
        ({ load, lane: load[key], stage, start: load.start + from, end: load.start + from + length })));
    const used = [...new Set(spans.map((span) => span.lane))].sort((a, b) => a - b);
    if (!used.length) {
      panel.replaceChildren(element("p", { class: "note empty" }, view === "connections"
        ? "Nothing that is shown came over a connection." : "Nothing that is shown was decoded."));
      return;
    }
    const { start, end } = state.window;
    const busy = new Map(used.map((lane) => [lane, 0]));
    for (const span of spans) {
      busy.set(span.lane, busy.get(span.lane)
        + Math.max(0, Math.min(end, span.end) - Math.max(start, span.start)));
    }
    const hadFocus = panel.contains(document.activeElement);
    const canvas = element("canvas", { role: "application", tabindex: 0 });
    const holder = element("div", { class: "lanes" }, canvas);
    const text = used.map((lane) => `${names[lane]} ${percent(busy.get(lane), end - start)}`).join(", ");
    canvas.setAttribute("aria-label",
      `${plural(used.length, "lane")}, and the part of the time they are busy: ${text}. Arrows choose a load.`);
    const note = element("p", { class: "note" }, view === "connections"
      ? "Each download in the lane of its connection, with the time it took to connect. Choose one to see its load."
      : "Each decode in the lane of a decoder. Choose one to see its load.");
    panel.replaceChildren(holder, note);

    const ratio = window.devicePixelRatio || 1;
    const width = holder.clientWidth || 600;
    const left = width < 520 ? 0 : 210;
    const head = 18;
    const height = head + used.length * (left ? laneHeight : laneHeight + 16);
    [canvas.width, canvas.height] = [width * ratio, height * ratio];
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    const x = (time) => left + ((time - start) / (end - start)) * (width - left);
    const top = (lane) => head + used.indexOf(lane) * (left ? laneHeight : laneHeight + 16) + (left ? 0 : 16);
    context.font = `12px ${style.fontFamily}`;
    context.textBaseline = "middle";
    context.fillStyle = color("--muted");
    const tick = steps(end - start, Math.max(2, Math.floor((width - left) / 110)));
    for (let time = Math.ceil(start / tick) * tick; time <= end; time += tick) {
      const text = moment(time, tick);
      const textWidth = context.measureText(text).width;
      context.fillText(text, Math.max(left, Math.min(width - textWidth, x(time) - textWidth / 2)), 8);
    }
    const laneTops = new Map(used.map((lane) => [lane, top(lane)]));
    for (const lane of used) {
      const y = laneTops.get(lane);
      context.fillStyle = color("--raised");
      context.fillRect(left, y + 3, width - left, laneHeight - 7);
      context.fillStyle = color("--muted");
      const share = percent(busy.get(lane), end - start);
      const shareWidth = context.measureText(share).width;
      const room = (left || width) - shareWidth - 22;
      const name = shortened(names[lane], (text) => context.measureText(text).width <= room);
      const middle = left ? y + laneHeight / 2 : y - 6;
      context.fillText(name, 0, middle);
      context.fillText(share, (left || width) - shareWidth - (left ? 10 : 0), middle);
    }
    const hits = [];
    for (const span of spans) {
      if (span.end < start || span.start > end) continue;
      const from = Math.max(left, x(span.start));
      const length = Math.max(1, Math.min(width, x(span.end)) - from);
      const y = laneTops.get(span.lane);
      context.fillStyle = color(`--s${span.stage}`);
      context.fillRect(from, y + 3, length, laneHeight - 7);
      if (span.load.index === state.selected) {
        context.strokeStyle = color("--ink");
        context.lineWidth = 2;
        context.strokeRect(from - 1, y + 2, length + 2, laneHeight - 5);
      }
      hits.push({ x: from, end: from + length, y, start: span.start, load: span.load });
    }
    const find = (event) => {
      const box = canvas.getBoundingClientRect();
      const [px, py] = [event.clientX - box.left, event.clientY - box.top];
      let best = null;
      for (const hit of hits) {
        if (py < hit.y || py > hit.y + laneHeight) continue;
        const distance = Math.max(hit.x - px, px - hit.end, 0);
        if (distance < 6 && (!best || distance < best.distance)) best = { ...hit, distance };
      }
      return best?.load;
    };
    canvas.addEventListener("mousemove", (event) => {
      const load = find(event);
      canvas.title = load ? `#${load.number} ${load.source}, ${load.outcome}, ${duration(load.duration)}` : "";
    });
    canvas.addEventListener("click", (event) => {
      const load = find(event);
      if (load) select(load.index, { opens: true });
    });
    canvas.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && state.selected !== null) select(state.selected, { opens: true });
      else if (event.key.startsWith("Arrow")) {
        const hit = nextSpan(hits, event.key);
        if (!hit) return;
        select(hit.load.index);
        $("announcement").textContent =
          `Load ${hit.load.number}, ${hit.load.outcome}, ${duration(hit.load.duration)}`;
      } else return;
      event.preventDefault();
    });
    if (hadFocus) canvas.focus({ preventScroll: true });
  }

  /** A name cut in the middle until it fits: what tells lanes apart stands at their ends. */
  function shortened(name, fits) {
    if (fits(name)) return name;
    for (let length = name.length - 2; length > 4; length -= 1) {
      const text = `${name.slice(0, Math.ceil(length / 2))}…${name.slice(name.length - Math.floor(length / 2))}`;
      if (fits(text)) return text;
    }
    return "…";
  }

  // One load in full.

  function drawDetails() {
    const load = state.selected === null ? null : loads[state.selected];
    if (!load) {
      $("details-title").textContent = "No load selected";
      $("details-body").replaceChildren(
        element("p", { class: "note" }, "Select a load to see why it came from where it did."));
      return;
    }
    $("details-title").textContent = `Load #${load.number}`;
    const parts = [
      element("p", { class: "badge" }, element("span", { class: "dot", color: colorOf(load.outcome) }),
        `${load.outcome}, ${duration(load.duration)}`),
      element("p", { class: "url" }, load.source),
      element("p", { class: "reason", id: "reason", color: colorOf(load.outcome) }, load.reason),
    ];
    if (load.stages.length) {
      const stages = element("dl", { class: "stages", "aria-label": "Stages" });
      const from = Math.min(0, ...load.stages.map(([, start]) => start));
      for (const [stage, start, length] of load.stages) {
        const bar = element("i", { color: stageColor(stage) });
        bar.style.left = `${(100 * (start - from)) / Math.max(1, load.duration - from)}%`;
        bar.style.width = `${(100 * length) / Math.max(1, load.duration - from)}%`;
        stages.append(
          element("dt", {}, element("span", { class: "swatch", color: stageColor(stage) }), stageNames[stage]),
          element("div", { class: "part", "aria-hidden": "true" }, bar), element("dd", {}, duration(length)));
      }
      parts.push(stages);
    }
    const facts = element("dl", { class: "facts" });
    const fact = (name, value) => {
      if (value !== undefined && value !== null && value !== "") {
        facts.append(element("dt", {}, name), element("dd", { "data-fact": name }, String(value)));
      }
    };
    const report = load.report;
    fact("Began", `${duration(load.start)} in`);
    if (report) {
      const [pixels, original] = [report.pixels.join(" × "), report.originalPixels.join(" × ")];
      fact("Pixels", pixels === original ? pixels : `${pixels}, of ${original}`);
      fact("Format", report.format);
      if (report.fileBytes) fact("File", `${number.format(report.fileBytes)} bytes`);
      if (report.receivedBytes || load.outcome === "network") {
        fact("Received", `${number.format(report.receivedBytes)} bytes${load.sharesDownload ? ", shared" : ""}`);
      }
      fact("Waiters", number.format(report.waiters));
      fact("Priority", report.priority
        + (report.priorityChanges ? `, changed ${plural(report.priorityChanges, "time")}` : ""));
      if (report.retries) fact("Failed attempts", number.format(report.retries));
      if (report.redirects) fact("Redirects", number.format(report.redirects));
      if (report.previews) fact("Previews", `${report.previews}, first after ${duration(report.firstPreview)}`);
      fact("Protocol", report.protocol);
      if (load.connection !== undefined) {
        const kind = report.reusedConnection === true ? ", was open"
          : load.stages.some(([stage]) => stageNames[stage] === "connect") ? ", new" : "";
        fact("Connection", recording.connections[load.connection] + kind);
      }
      if (load.decoder !== undefined) fact("Decoder", recording.decoders[load.decoder]);
    }
    parts.push(facts);
    const remarks = recording.remarks.filter((remark) => remark.load === load.number);
    if (remarks.length) {
      parts.push(element("h3", {}, "On its way"), element("ul", { class: "remarks" },
        ...remarks.map((remark) => remarkItem(remark, { isLinked: false }))));
    }
    $("details-body").replaceChildren(...parts);
  }

  function remarkItem(remark, { isLinked = true } = {}) {
    const when = element("time", {}, duration(remark.time));
    if (!isLinked) return element("li", {}, when, element("span", {}, remark.text));
    const load = loads.find((load) => load.number === remark.load);
    const link = load
      ? element("button", { type: "button", "data-load": load.index }, `#${load.number}`)
      : element("span", {}, remark.load ? `#${remark.load}` : "cache");
    return element("li", {}, when, link, element("span", {}, remark.text));
  }

  // Choosing.

  /** Makes a load the selected one, in every view. `opens` also brings its details into view, and the focus there. */
  function select(index, { opens = false, scrolls = true } = {}) {
    state.selected = index;
    const place = state.shown.findIndex((load) => load.index === index);
    if (scrolls && place >= 0 && state.view === "waterfall") {
      const [list, height] = [$("list"), rowHeight()];
      if (place * height < list.scrollTop) list.scrollTop = place * height;
      const overlap = (place + 1) * height - (list.scrollTop + list.clientHeight);
      if (overlap > 0) list.scrollTop += overlap;
    }
    drawView();
    drawDetails();
    if (opens) {
      $("details").classList.add("open");
      $("details").focus({ preventScroll: true });
    }
  }

  function closeDetails() {
    $("details").classList.remove("open");
    if (state.view === "waterfall") $("list").focus({ preventScroll: true });
    else ($(state.view).querySelector("canvas") ?? $(`tab-${state.view}`)).focus({ preventScroll: true });
  }

  function move(step) {
    if (!state.shown.length) return;
    const place = state.shown.findIndex((load) => load.index === state.selected);
    const next = place < 0 && Number.isFinite(step) ? visibleRange()[0] : place + step;
    select(state.shown[Math.max(0, Math.min(state.shown.length - 1, next))].index);
  }

  function show(view) {
    state.view = view;
    for (const name of ["waterfall", "connections", "decoders"]) {
      $(name).hidden = name !== view;
      $(`tab-${name}`).setAttribute("aria-selected", name === view);
      $(`tab-${name}`).tabIndex = name === view ? 0 : -1;
    }
    $("scales").hidden = view !== "waterfall";
    drawLegend();
    drawView();
    drawViewMark();
  }

  function zoom(start, end) {
    const length = Math.max(1000, Math.min(whole.end - whole.start, end - start));
    const from = Math.max(whole.start, Math.min(whole.end - length, start));
    state.window = { start: from, end: from + length };
    drawChips();
    filter();
  }

  // Drawing.

  function drawView() {
    if (state.view === "waterfall") drawRows();
    else drawLanes(state.view);
  }

  function drawAll() {
    drawStats();
    drawChart();
    drawView();
  }

  function drawOnce() {
    $("title").textContent = recording.title;
    const date = new Date(recording.began);
    const when = Number.isNaN(date.getTime()) ? recording.began
      : date.toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
    $("subtitle").textContent = `${plural(loads.length, "load")} in ${duration(whole.end - whole.start)}, recorded ${when}`
      + (recording.dropped ? `; ${plural(recording.dropped, "older load")} had to make room` : "");
    $("safety").textContent = recording.showsURLs ? "Shows full URLs: share with care" : "URLs are redacted";
    $("safety").classList.toggle("open", recording.showsURLs);
    $("remarks-card").hidden = !recording.remarks.length;
    $("remarks").replaceChildren(...recording.remarks.slice(-500).map((remark) => remarkItem(remark)));
  }

  // What people do.

  let isScheduled = false;
  $("list").addEventListener("scroll", () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      drawRows();
    });
  }, { passive: true });

  $("rows").addEventListener("click", (event) => {
    const row = event.target.closest("[data-index]");
    if (row) select(Number(row.dataset.index), { opens: true, scrolls: false });
  });

  $("list").addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor($("list").clientHeight / rowHeight()) - 1);
    const moves = {
      ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity,
    };
    if (event.key in moves) move(moves[event.key]);
    else if (event.key === "Enter" || event.key === " ") {
      if (state.selected === null) move(-Infinity);
      if (state.selected !== null) select(state.selected, { opens: true });
    } else return;
    event.preventDefault();
  });

  $("views").addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) show(tab.id.slice(4));
  });
  $("views").addEventListener("keydown", (event) => {
    const tabs = [...$("views").querySelectorAll("[role=tab]")];
    const place = tabs.indexOf(document.activeElement);
    const next = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined || place < 0) return;
    const tab = tabs[(next + tabs.length) % tabs.length];
    show(tab.id.slice(4));
    tab.focus();
    event.preventDefault();
  });

  function press(group, attribute, value) {
    for (const button of document.querySelectorAll(`[${group}]`)) {
      button.setAttribute("aria-pressed", button.getAttribute(attribute) === value);
    }
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const { unit, scale, zoom: change, layer, load } = button.dataset;
    if (unit) {
      state.unit = unit;
      press("data-unit", "data-unit", unit);
      drawChart();
    } else if (scale) {
      state.scale = scale;
      press("data-scale", "data-scale", scale);
      drawRows();
    } else if (layer) {
      if (!state.layers.delete(layer)) state.layers.add(layer);
      drawChips();
      filter();
    } else if (load) {
      if (state.view !== "waterfall") show("waterfall");
      select(Number(load), { opens: true });
    } else if (change) {
      const { start, end } = state.window;
      const length = end - start;
      if (change === "all") zoom(whole.start, whole.end);
      if (change === "in") zoom(start + length / 4, end - length / 4);
      if (change === "out") zoom(start - length / 2, end + length / 2);
      if (change === "back") zoom(start - length / 2, end - length / 2);
      if (change === "on") zoom(start + length / 2, end + length / 2);
    }
  });

  $("query").addEventListener("input", () => {
    state.query = $("query").value.trim().toLowerCase();
    drawChips();
    filter();
  });
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("close").addEventListener("click", closeDetails);

  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !(event.target instanceof HTMLInputElement)) {
      $("query").focus();
      event.preventDefault();
    } else if (event.key === "Escape" && $("details").contains(document.activeElement)) {
      closeDetails();
      event.preventDefault();
    } else if (event.key === "ArrowDown" && document.activeElement === $("query")) {
      $("list").focus();
      event.preventDefault();
    }
  });

  // A part of the time, chosen in the chart. A click goes to the loads of that moment.
  let drag = null;
  $("chart").addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch" || event.button !== 0) return;
    drag = { from: event.offsetX, mark: shape("rect", { class: "drag", y: chart.top, rx: 2,
      height: chart.height - chart.top - chart.bottom, x: event.offsetX, width: 0 }) };
    $("chart").append(drag.mark);
    $("chart").setPointerCapture(event.pointerId);
  });
  $("chart").addEventListener("pointermove", (event) => {
    if (!drag) return;
    drag.mark.setAttribute("x", Math.min(drag.from, event.offsetX));
    drag.mark.setAttribute("width", Math.abs(event.offsetX - drag.from));
  });
  $("chart").addEventListener("pointerup", (event) => {
    if (!drag) return;
    const [from, to] = [drag.from, event.offsetX].sort((a, b) => a - b);
    drag.mark.remove();
    drag = null;
    if (to - from > 5) return zoom(fromChart(from), fromChart(to));
    goTo(fromChart(to));
  });
  $("chart").addEventListener("pointercancel", () => {
    drag?.mark.remove();
    drag = null;
  });
  $("chart").addEventListener("click", (event) => {
    if (event.pointerType === "touch") goTo(fromChart(event.offsetX));
  });

  function goTo(time) {
    if (state.view !== "waterfall") show("waterfall");
    const place = state.shown.findIndex((load) => load.start >= time);
    $("list").scrollTop = Math.max(0, place) * rowHeight();
  }

  let width = 0;
  new ResizeObserver(() => {
    if (document.body.clientWidth === width) return;
    width = document.body.clientWidth;
    drawChart();
    drawView();
  }).observe(document.body);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawView);

  drawOnce();
  drawLegend();
  drawChips();
  filter();
  document.documentElement.dataset.ready = "true";
})();
