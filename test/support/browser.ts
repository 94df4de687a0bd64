import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { atEnd, once } from './endings.ts';

const PLACES = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

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
  atEnd(() => browser.close());
  return browser;
});
