// Opens the recorder's pages in a browser, and looks whether they do what they are for.
//
//   node scripts/test-recorder.mjs FOLDER [SCREENSHOTS]
//
// FOLDER is what the tests have written for it: see `make test-recorder`. Exits with 1 if anything is wrong.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";

const [folder, screenshots] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node scripts/test-recorder.mjs FOLDER [SCREENSHOTS]");
  process.exit(2);
}
const file = (name) => pathToFileURL(path.join(path.resolve(folder), name)).href;
const phone = { width: 390, height: 844, mobile: true, scale: 2 };
const failures = [];
let checks = 0;

function expect(condition, text) {
  checks += 1;
  if (!condition) failures.push(text);
}

function equal(found, expected, text) {
  expect(JSON.stringify(found) === JSON.stringify(expected),
    `${text}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
}

/** Opens a page; afterwards it must have asked for nothing but itself, and complained of nothing. */
async function test(name, title, options, body) {
  const page = await browser.page(options);
  const before = failures.length;
  try {
    await page.open(file(name));
    equal(await page.value("document.documentElement.dataset.ready"), "true", "the script has run to its end");
    await body(page);
    equal(page.complaints, [], "complaints");
    equal(page.requests, [file(name)], "requests");
    equal(await page.value("performance.getEntriesByType('resource').length"), 0, "resources");
  } catch (error) {
    failures.push(`${error.stack}`);
  }
  for (let index = before; index < failures.length; index += 1) failures[index] = `${title}: ${failures[index]}`;
  console.log(`${failures.length === before ? "ok    " : "FAILED"} ${title}`);
  await page.close();
}

async function shoot(page, name, options) {
  if (!screenshots) return;
  mkdirSync(screenshots, { recursive: true });
  writeFileSync(path.join(screenshots, `${name}.png`), await page.screenshot(options));
}

const stat = (page, name) => page.value(`Number(document.querySelector("[data-stat=${name}]").dataset.value)`);
const shown = (page) => page.value(`Number(document.getElementById("shown").dataset.value)`);
const recordingOf = (page) => page.value(`JSON.parse(document.getElementById("recording").textContent)`);
const focused = (page) => page.value("document.activeElement.id");
const selected = (page) => page.value(`document.querySelector("[aria-selected=true][role=option]")?.dataset.index ?? null`);
const text = (page, selector) => page.value(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? null`);

const browser = await Browser.start();
try {
  const expected = JSON.parse(readFileSync(path.join(folder, "mixed.json")));
  const total = expected.loads.length + expected.failed + expected.cancelled;
  const countOf = (outcome) => expected.loads.filter((load) => load.outcome === outcome).length;

  await test("mixed.html", "its numbers are the reports'", {}, async (page) => {
    equal(await stat(page, "loads"), total, "loads");
    equal(await stat(page, "hits"), expected.hits, "hits");
    equal(await stat(page, "received"), expected.received, "bytes received");
    equal(await stat(page, "stored"), expected.stored, "bytes from the store");
    equal(await stat(page, "failed"), expected.failed, "failed");
    const times = expected.loads.map((load) => load.microseconds).sort((a, b) => a - b);
    equal(await stat(page, "median"), times[Math.floor(times.length / 2)], "median time");
    const chips = await page.value(`Object.fromEntries([...document.querySelectorAll("#chips [data-layer]")].map((chip) =>
      [chip.dataset.layer, Number(chip.querySelector("b").textContent)]))`);
    for (const layer of ["memory", "storage", "revalidation", "network", "source"]) {
      equal(chips[layer], countOf(layer), `loads from ${layer}`);
    }
    equal([chips.failed, chips.cancelled], [expected.failed, expected.cancelled], "failed and cancelled");
    // Each load in full: the row, the reason and the pixels are those of its report.
    const recording = await recordingOf(page);
    for (const load of expected.loads) {
      const index = recording.loads.findIndex((each) => each.number === load.number && each.outcome === load.outcome);
      await page.value(`document.getElementById("list").scrollTop = ${index} * 32 - 100`);
      await page.drawn();
      await page.click(`[data-index="${index}"]`);
      equal(await text(page, "#reason"), load.reason, `the reason of #${load.number}`);
      equal((await text(page, "[data-fact=Pixels]")).split(",")[0], load.pixels, `the pixels of #${load.number}`);
      const parts = await page.value(`[...document.querySelectorAll('[data-index="${index}"] .track i')].length`);
      expect(parts >= 2, `#${load.number} has a bar with stages`);
    }
    await shoot(page, "mixed-light");
  });

  await test("mixed.html", "filters by layer, by text and by both", {}, async (page) => {
    await page.click("[data-layer=storage]");
    equal(await shown(page), countOf("storage"), "one layer");
    equal(await page.value(`[...new Set([...document.querySelectorAll(".row .dot")].map((dot) => dot.title))]`),
      ["storage"], "the rows shown");
    await page.click("[data-layer=revalidation]");
    equal(await shown(page), countOf("storage") + countOf("revalidation"), "two layers");
    equal(await stat(page, "stored"), expected.stored, "the sums follow");
    equal(await stat(page, "received"), 0, "the sums follow");
    await page.click("[data-layer=storage]");
    await page.click("[data-layer=revalidation]");
    equal(await shown(page), total, "all again");
    await page.click("#query");
    await page.type(expected.host);
    const ofHost = (await recordingOf(page)).loads.filter((load) => load.source === expected.host).length;
    equal(await shown(page), ofHost, "by host");
    expect(ofHost > 0 && ofHost < total, "the host is that of some loads");
    await page.type("/nowhere");
    equal(await shown(page), 0, "nothing");
    equal(await page.value(`document.getElementById("empty").hidden`), false, "says so");
    await page.value(`document.getElementById("query").select()`);
    await page.type(`#${expected.loads[0].number}`);
    equal(await shown(page), 1, "by number");
  });

  await test("mixed.html", "goes by the keyboard alone", {}, async (page) => {
    await page.key("Tab");
    equal(await text(page, ":focus"), "Skip to the loads", "what comes first");
    await page.key("Enter");
    equal(await focused(page), "list", "the list has the focus");
    await page.key("ArrowDown");
    equal(await selected(page), "0", "the first load");
    await page.key("ArrowDown");
    await page.key("ArrowDown");
    await page.key("ArrowUp");
    equal(await selected(page), "1", "up and down");
    equal(await page.value(`document.getElementById("list").getAttribute("aria-activedescendant")`), "load-1",
      "what assistive technology is told");
    await page.key("End");
    equal(await selected(page), String(total - 1), "the last load");
    await page.key("Home");
    equal(await selected(page), "0", "the first again");
    await page.key("Enter");
    equal(await focused(page), "details", "its details have the focus");
    const first = (await recordingOf(page)).loads[0];
    equal(await text(page, "#reason"), first.reason, "and say why");
    await page.key("Escape");
    equal(await focused(page), "list", "and give it back");
    await page.key("/");
    equal(await focused(page), "query", "the filter");
    await page.key("ArrowDown");
    equal(await focused(page), "list", "and back");
    // Tabs by arrows.
    await page.value(`document.getElementById("tab-waterfall").focus()`);
    await page.key("ArrowRight");
    equal(await focused(page), "tab-connections", "the next tab");
    equal(await page.value(`document.getElementById("connections").hidden`), false, "and its lanes");
    await page.key("ArrowLeft");
    equal(await page.value(`document.getElementById("waterfall").hidden`), false, "and back");
    // Whatever can be pressed can be reached, and says what it is.
    const unnamed = await page.value(`[...document.querySelectorAll("button, input, canvas, svg[role], [role=tabpanel]")]
      .filter((element) => !(element.textContent.trim() || element.getAttribute("aria-label")
        || element.getAttribute("aria-labelledby") || element.closest("label"))).map((element) => element.outerHTML)`);
    equal(unnamed, [], "elements without a name");
    const unreachable = await page.value(`[...document.querySelectorAll("button:not([role=tab])")]
      .filter((button) => button.tabIndex < 0).length`);
    equal(unreachable, 0, "buttons that Tab doesn't reach");
  });

  await test("mixed.html", "lanes of connections and decoders lead to their loads", {}, async (page) => {
    const recording = await recordingOf(page);
    await page.click("#tab-connections");
    const label = await page.value(`document.querySelector("#connections canvas").getAttribute("aria-label")`);
    expect(recording.connections.every((name) => label.includes(name)), `every connection is named: ${label}`);
    await shoot(page, "mixed-connections");
    // By the keyboard, too.
    await page.value(`document.querySelector("#connections canvas").focus()`);
    await page.key("ArrowRight");
    await page.key("ArrowRight");
    const announced = await text(page, "#announcement");
    expect(/^Load \d+, (network|revalidation), /.test(announced), `a load is announced: ${announced}`);
    await page.key("Enter");
    equal(await focused(page), "details", "its details have the focus");
    equal(await text(page, "#details-title"), `Load #${announced.match(/\d+/)[0]}`, "and are its own");
    await page.key("Escape");
    equal(await page.value("document.activeElement.localName"), "canvas", "and give it back");
    await page.click("#tab-decoders");
    await page.click("#decoders canvas", { x: 0.5, y: 0.9 });
    expect(await page.value(`document.querySelector("#decoders canvas").width > 100`), "the lanes are drawn");
    const pixels = await page.value(`(() => {
      const canvas = document.querySelector("#decoders canvas");
      const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      return new Set(new Uint32Array(data.buffer)).size;
    })()`);
    expect(pixels > 3, "with something in them");
  });

  await test("mixed.html", "a part of the time is chosen by button and by dragging, and left again", {}, async (page) => {
    await page.click("[data-zoom=in]");
    const part = await shown(page);
    expect(part > 0 && part < total, `a part: ${part} of ${total}`);
    await page.click("[data-zoom=all]");
    equal(await shown(page), total, "all");
    const box = await page.value(`(({ x, y, width, height }) => ({ x, y, width, height }))(
      document.getElementById("chart").getBoundingClientRect())`);
    const at = (share) => ({ x: box.x + box.width * share, y: box.y + box.height / 2 });
    await page.send("Input.dispatchMouseEvent", { type: "mousePressed", ...at(0.1), button: "left", clickCount: 1 });
    await page.send("Input.dispatchMouseEvent", { type: "mouseMoved", ...at(0.3), button: "left" });
    await page.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...at(0.3), button: "left", clickCount: 1 });
    await page.drawn();
    expect(await shown(page) < total, "less is shown after dragging");
    await page.click("[data-unit=bytes]");
    expect((await text(page, "#chart-text")).startsWith("Bytes of files"), "the chart counts bytes");
  });

  await test("urls.html", "shows URLs where they were asked for, and warns", {}, async (page) => {
    expect((await text(page, "#safety")).startsWith("Shows full URLs"), "the warning");
    await page.click("#query");
    await page.type("/pictures/2");
    const ofPath = (await recordingOf(page)).loads.filter((load) => load.source.endsWith("/pictures/2")).length;
    expect(ofPath > 0, "the path is there");
    equal(await shown(page), ofPath, "by path");
  });

  await test("mixed.html", "is dark where the system is", { dark: true }, async (page) => {
    const light = await page.value(`getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number)`);
    expect(light.every((value) => value < 60), `the background is dark: ${light}`);
    await page.click("#list .row:nth-child(2)");
    await shoot(page, "mixed-dark");
  });

  await test("mixed.html", "fits a phone: nothing is wider than the screen, and details come over the list", phone,
    async (page) => {
      expect(await page.value("document.documentElement.scrollWidth <= window.innerWidth"), "no sideways scrolling");
      await shoot(page, "mixed-phone-top", { whole: false });
      await page.click("#list .row:nth-child(2)");
      equal(await focused(page), "details", "the details are open");
      await shoot(page, "mixed-phone-details", { whole: false });
      await page.click("#close");
      equal(await page.value(`getComputedStyle(document.getElementById("details")).display`), "none", "and closed");
      const small = await page.value(`[...document.querySelectorAll("button, input")].filter((element) => {
        const box = element.getBoundingClientRect();
        return box.width > 0 && box.height < 32;
      }).map((element) => element.outerHTML)`);
      equal(small, [], "what is too small for a finger");
      await page.value(`document.getElementById("list").scrollIntoView()`);
      await page.drawn();
      await shoot(page, "mixed-phone-list", { whole: false });
    });

  await test("empty.html", "has nothing to show, and says so", {}, async (page) => {
    equal(await stat(page, "loads"), 0, "loads");
    equal(await page.value(`document.getElementById("empty").hidden`), false, "the note");
    for (const tab of ["connections", "decoders", "waterfall"]) await page.click(`#tab-${tab}`);
    await page.click("[data-zoom=in]");
    await shoot(page, "empty");
  });

  await test("large.html", "5,000 loads: few rows at a time, and quick", {}, async (page) => {
    equal(await stat(page, "loads"), 5_000, "loads");
    const rows = await page.value(`document.querySelectorAll(".row").length`);
    expect(rows < 60, `${rows} rows are there`);
    await page.value(`document.getElementById("list").focus()`);
    await page.key("End");
    equal(await selected(page), "4999", "the last one is reached");
    const milliseconds = await page.value(`(() => {
      const query = document.getElementById("query");
      const start = performance.now();
      for (const text of ["1", "12", "127", ""]) {
        query.value = text;
        query.dispatchEvent(new Event("input"));
      }
      return (performance.now() - start) / 4;
    })()`);
    console.log(`       filtering 5,000 loads takes ${milliseconds.toFixed(1)} ms`);
    expect(milliseconds < 400, `filtering takes ${milliseconds} ms`);
    for (const tab of ["connections", "decoders"]) await page.click(`#tab-${tab}`);
    await shoot(page, "large-decoders");
    await page.click("#tab-waterfall");
    await shoot(page, "large");
  });

  for (const name of readdirSync(folder).filter((name) => name.startsWith("hostile-")).sort()) {
    await test(name, `${name}: what tries to be more than data is text`, {}, async (page) => {
      equal(await page.value("window.hacked ?? null"), null, "nothing has run");
      const recording = await recordingOf(page);
      equal(await page.value(`document.getElementById("title").textContent`), recording.title, "the title");
      equal(await page.value(`document.querySelectorAll("script, img, iframe").length`), 2, "scripts and images");
      await page.click("#list .row:nth-child(1)");
      equal(await text(page, "[data-fact=Protocol]"), recording.loads[0].report.protocol, "the protocol");
      await page.click("#list .row:nth-child(2)");
      equal(await text(page, "#reason"), recording.loads[1].reason, "the reason");
      equal(await page.value("window.hacked ?? null"), null, "nothing has run");
      // A page that was tampered with runs nothing either: its policy names its own script.
      await page.value(`document.body.append(Object.assign(document.createElement("script"),
        { textContent: "window.hacked = 2" }))`);
      equal(await page.value("window.hacked ?? null"), null, "an added script doesn't run");
      expect(page.complaints.length > 0, "the browser says why");
      page.complaints.length = 0;
    });
  }
} finally {
  await browser.stop();
}
for (const failure of failures) console.error(`- ${failure}`);
console.log(`${checks} checks, ${failures.length} failed`);
process.exit(failures.length ? 1 : 0);
