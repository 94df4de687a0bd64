import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { atEnd, once } from './endings.ts';

/** The one without windows, which Debian has a package of, takes a third less processor time than a whole browser. */
const PLACES = [
  process.env['CHROMIUM_PATH'],
  ...['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`),
];

/** Where a Chromium is on this machine (CHROMIUM_PATH first), or null. */
export const chromiumPath: string | null = PLACES.find((path) => path !== undefined && existsSync(path)) ?? null;

/** How long a browser may take for one step on a machine that has much else to do, in ms. */
export const PATIENCE_MS = 120_000;

/** One headless Chromium per mocha process. It reaches this machine alone: pages of ours need nothing else. */
export const startBrowser: () => Promise<Browser> = once(async () => {
  const browser = await chromium.launch({
    executablePath: chromiumPath!,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
  const newContext = browser.newContext.bind(browser);
  // Of pages that are opened without one, too.
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  atEnd(() => browser.close());
  return browser;
});
