import { notEqual } from 'node:assert/strict';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { type Env, readEnv } from '../../config/env.ts';
import { type Platform, startPlatform } from '../../embedded/platform.ts';
import type { SinkRule } from '../../embedded/smtp-sink.ts';
import { ApiClient } from '../../tools/demo/client.ts';
import { chromiumPath, startBrowser } from './browser.ts';
import { dataFolder } from './data-folder.ts';

/** A browser at a console. */
export interface Visit {
  context: BrowserContext;
  page: Page;
  /** What scripts and policies complained of. */
  troubles: string[];
  /** Fills in the login on the page there is. */
  logIn(login: { username: string; password: string }): Promise<void>;
  /** Waits for words on the page. */
  says(text: string | RegExp): Promise<void>;
  /** Writes into a field that an editor stands in for, once it does. */
  write(label: string, text: string): Promise<void>;
  /** Waits for words in the mail that is shown beside what is written. */
  previews(text: string): Promise<void>;
  /** With the keyboard. */
  press(button: string | RegExp): Promise<void>;
  /** With the keyboard, the first link of that name. */
  follow(link: string | RegExp): Promise<void>;
  /** How many pixels the page scrolls sideways. */
  sideways(): Promise<number>;
}

/** Where there is no Chromium, the test is skipped: the console's pages and forms are tested without one, too. */
export function needsChromium(test: Mocha.Context): void {
  if (chromiumPath) return;
  console.log('      no Chromium on this machine (set CHROMIUM_PATH): skipped');
  test.skip();
}

/** Enter, on what Tab leads to. */
async function entered(place: Locator): Promise<void> {
  await place.waitFor();
  notEqual(await place.getAttribute('tabindex'), '-1', `Tab leaves out ${place}`);
  await place.press('Enter');
}

/** @param timezoneId of who looks */
export async function visit(timezoneId = 'UTC'): Promise<Visit> {
  const context = await (await startBrowser()).newContext({ viewport: { width: 1180, height: 800 }, acceptDownloads: true, timezoneId });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('pageerror', (error) => void troubles.push(error.message));
  page.on('console', (message) => {
    const text = message.text();
    // Where coloured text is replaced by a command, as tests do, Chromium itself tries to keep its colour as an inline style: the policy is there for that.
    const ofTyping = text.startsWith('Applying inline style') && /\/(edit\/|new)(\?|$)/.test(page.url());
    if (message.type() === 'error' && !ofTyping) troubles.push(text);
  });
  return {
    context,
    page,
    troubles,
    async logIn({ username, password }) {
      await page.getByLabel('User name').fill(username);
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Log out' }).waitFor();
    },
    says: (text) => page.getByText(text).first().waitFor(),
    write: async (label, text) => {
      await page.locator('html.editing').waitFor();
      await page.getByLabel(label).fill(text);
    },
    previews: async (text) => {
      for (;;) {
        try {
          return await page.locator('.previewed iframe').first().contentFrame().frameLocator('iframe').getByText(text).waitFor();
        } catch (error) {
          // Each comes into a frame of its own: who waits in the one before is told that it was closed.
          if (page.isClosed() || !/closed|detached/.test((error as Error).message)) throw error;
        }
      }
    },
    press: (name) => entered(page.getByRole('button', { name })),
    follow: (name) => entered(page.getByRole('link', { name }).first()),
    sideways: () => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
  };
}

/** A whole platform, and a browser at its console. */
export interface VisitedPlatform extends Visit {
  env: Env;
  platform: Platform;
  api: ApiClient;
  /** How many mails each address got. */
  got: Map<string, number>;
  login: { username: string; password: string };
  close(): Promise<void>;
}

/** @param settings over the defaults @param rules of the relay, which else takes all */
export async function visitPlatform(settings: Record<string, string> = {}, rules: readonly SinkRule[] = []): Promise<VisitedPlatform> {
  const env = readEnv({ PORT: '0', DATA_DIR: dataFolder(), WORKER_PROCESSES: '1', ...settings });
  const got = new Map<string, number>();
  const onMail = ({ to }: { to: readonly string[] }) => {
    for (const address of to) got.set(address, (got.get(address) ?? 0) + 1);
  };
  // By DATA: where mails follow each other at once, others wait behind the one a rule is about.
  const platform = await startPlatform(env, { sink: { onMail, rules, offers: { chunking: false } } });
  const login = { username: env.ADMIN_USERNAME, password: env.ADMIN_PASSWORD };
  const visited = await visit();
  return {
    ...visited,
    env,
    platform,
    api: new ApiClient(platform.baseUrl, login.username, login.password),
    got,
    login,
    async close() {
      await visited.context.close();
      await platform.stop();
    },
  };
}
