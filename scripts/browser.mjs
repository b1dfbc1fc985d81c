// A headless Chromium, spoken to through pipes by its DevTools protocol. Takes nothing but node.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export class Browser {
  #process;
  #folder;
  #next = 1;
  #answers = new Map();
  #listeners = [];
  #rest = "";

  static async start() {
    const browser = new Browser();
    await browser.#start();
    return browser;
  }

  async #start() {
    this.#folder = mkdtempSync(path.join(tmpdir(), "calotype-browser-"));
    const program = process.env.CHROMIUM ?? "chromium";
    const flags = [
      "--headless=new", "--remote-debugging-pipe", `--user-data-dir=${this.#folder}`, "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
      "--disable-dev-shm-usage", "--hide-scrollbars=false", "--force-color-profile=srgb",
    ];
    // Chromium's sandbox doesn't work for root.
    if (process.getuid?.() === 0) flags.push("--no-sandbox");
    this.#process = spawn(program, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.#process.on("error", (error) => this.#fail(new Error(`${program} doesn't start: ${error.message}`)));
    this.#process.on("exit", () => this.#fail(new Error("The browser has ended.")));
    this.#process.stdio[4].setEncoding("utf8");
    this.#process.stdio[4].on("data", (text) => this.#receive(text));
    this.#process.stdio[3].on("error", (error) => this.#fail(error));
    await this.send("Browser.getVersion");
  }

  #fail(error) {
    for (const { reject } of this.#answers.values()) reject(error);
    this.#answers.clear();
  }

  #receive(text) {
    const messages = (this.#rest + text).split("\0");
    this.#rest = messages.pop();
    for (const message of messages.map((message) => JSON.parse(message))) {
      if (message.id === undefined) {
        for (const listener of this.#listeners) listener(message);
        continue;
      }
      const { resolve, reject, method } = this.#answers.get(message.id);
      this.#answers.delete(message.id);
      if (message.error) reject(new Error(`${method}: ${message.error.message}`));
      else resolve(message.result);
    }
  }

  send(method, params = {}, sessionId) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method} isn't answered.`)), 60_000);
      const settle = (settled) => (value) => {
        clearTimeout(timer);
        settled(value);
      };
      this.#answers.set(id, { resolve: settle(resolve), reject: settle(reject), method });
      this.#process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    });
  }

  onEvent(listener) {
    this.#listeners.push(listener);
  }

  async page(options) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    await page.prepare(options);
    return page;
  }

  async stop() {
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    await this.send("Browser.close").catch(() => this.#process.kill());
    await ended;
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A tab. It notes what goes wrong in it, and what it asks of the network. */
class Page {
  requests = [];
  complaints = [];
  #browser;
  #session;
  #target;
  #waiting = new Map();

  constructor(browser, session, target) {
    this.#browser = browser;
    this.#session = session;
    this.#target = target;
    browser.onEvent((event) => {
      if (event.sessionId === session) this.#note(event);
    });
  }

  #note({ method, params }) {
    if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    if (method === "Runtime.exceptionThrown") {
      this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    }
    if (method === "Runtime.consoleAPICalled") this.complaints.push(`console.${params.type}`);
    if (method === "Log.entryAdded") this.complaints.push(`${params.entry.level}: ${params.entry.text}`);
    this.#waiting.get(method)?.();
    this.#waiting.delete(method);
  }

  send(method, params) {
    return this.#browser.send(method, params, this.#session);
  }

  async prepare({ width = 1280, height = 900, dark = false, mobile = false, scale = 1 } = {}) {
    for (const domain of ["Page", "Runtime", "Network", "Log"]) await this.send(`${domain}.enable`);
    await this.send("Emulation.setDeviceMetricsOverride",
      { width, height, deviceScaleFactor: scale, mobile });
    await this.send("Emulation.setTouchEmulationEnabled", { enabled: mobile });
    const features = [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }];
    await this.send("Emulation.setEmulatedMedia", { features });
  }

  async open(url) {
    const loaded = new Promise((resolve) => this.#waiting.set("Page.loadEventFired", resolve));
    const { errorText } = await this.send("Page.navigate", { url });
    if (errorText) throw new Error(`${url}: ${errorText}`);
    await loaded;
  }

  /** The value of an expression in the page. */
  async value(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate",
      { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
    return result.value;
  }

  /** What a person does: once the page has drawn what came of it, this returns. */
  async key(key, text) {
    const codes = { Enter: 13, Escape: 27, ArrowUp: 38, ArrowDown: 40, ArrowLeft: 37, ArrowRight: 39, Tab: 9, End: 35,
      Home: 36, PageDown: 34, PageUp: 33, "/": 191 };
    const typed = text ?? (key.length === 1 ? key : key === "Enter" ? "\r" : undefined);
    await this.send("Input.dispatchKeyEvent",
      { type: "keyDown", key, code: key, windowsVirtualKeyCode: codes[key] ?? 0, text: typed });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, code: key });
    await this.drawn();
  }

  async type(text) {
    await this.send("Input.insertText", { text });
    await this.drawn();
  }

  async click(selector, { x = 0.5, y = 0.5 } = {}) {
    const box = await this.value(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      element.scrollIntoView({ block: "nearest" });
      const box = element.getBoundingClientRect();
      return { x: box.x + box.width * ${x}, y: box.y + box.height * ${y} };
    })()`);
    for (const type of ["mousePressed", "mouseReleased"]) {
      await this.send("Input.dispatchMouseEvent", { type, ...box, button: "left", clickCount: 1 });
    }
    await this.drawn();
  }

  drawn() {
    return this.value("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))");
  }

  async screenshot({ whole = true } = {}) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: whole });
    return Buffer.from(data, "base64");
  }

  close() {
    return this.#browser.send("Target.closeTarget", { targetId: this.#target });
  }
}
