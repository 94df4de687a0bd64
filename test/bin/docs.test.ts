import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromiumPath, startBrowser } from '../support/browser.ts';

const root = join(import.meta.dirname, '../..');

describe('the docs', () => {
  it('lead nowhere that is not there', () => {
    const dead: string[] = [];
    for (const file of ['README.md', ...globSync('docs/*.md', { cwd: root })]) {
      const text = readFileSync(join(root, file), 'utf8').replace(/```[\s\S]*?```/g, '');
      for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        const [path = '', anchor] = target.split('#');
        if (/^[a-z]+:/.test(target)) continue;
        const found = path === '' ? join(root, file) : join(root, dirname(file), path);
        if (!existsSync(found)) dead.push(`${file}: ${target}`);
        else if (anchor && found.endsWith('.md') && !anchorsOf(found).includes(anchor)) dead.push(`${file}: ${target}`);
      }
    }
    assert.deepEqual(dead, []);
  });

  it('make a site whose pages are all there', () => {
    execFileSync(process.execPath, [join(root, 'bin/docs.ts')], { cwd: root });
    const site = join(root, 'site');
    const pages = globSync('*.html', { cwd: site });
    assert.ok(pages.includes('index.html') && pages.includes('tutorial.html') && pages.includes('reference.html'));
    const dead = pages.flatMap((page) =>
      [...readFileSync(join(site, page), 'utf8').matchAll(/(?:href|src)="([^"#:]+)[#"]/g)]
        .map(([, target = '']) => target)
        .filter((target) => !existsSync(join(site, target)) && !target.startsWith('../'))
        .map((target) => `${page}: ${target}`),
    );
    assert.deepEqual(dead, []);
  });

  it('have a menu that folds on a phone and stands open beside the page, without a script', async function () {
    if (!chromiumPath) {
      console.log('      no Chromium on this machine (set CHROMIUM_PATH): the menu of the site was not looked at');
      return this.skip();
    }
    const page = await (await startBrowser()).newPage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    await page.goto(pathToFileURL(join(root, 'site/mailer.html')).href);
    const link = page.getByRole('navigation').getByRole('link', { name: 'Templates', exact: true });
    assert.equal(await link.isVisible(), false);
    const heading = await page.getByRole('heading', { level: 1 }).boundingBox();
    assert.ok(heading!.y < 200, `the page begins ${heading!.y} pixels down`);
    await page.getByText('All pages').click();
    await link.click();
    assert.match(page.url(), /templates\.html$/);
    await page.setViewportSize({ width: 1280, height: 800 });
    assert.equal(await link.isVisible(), true);
    assert.equal(await page.getByText('All pages').isVisible(), false);
    await page.close();
  });

  it('have the API in their site, also where that is opened from its folder', async function () {
    if (!chromiumPath) {
      console.log('      no Chromium on this machine (set CHROMIUM_PATH): the API on the site was not looked at');
      return this.skip();
    }
    const page = await (await startBrowser()).newPage();
    await page.goto(pathToFileURL(join(root, 'site/reference.html')).href, { timeout: 120_000, waitUntil: 'commit' });
    await page.getByRole('heading', { level: 1, name: 'Campaign platform' }).waitFor({ timeout: 120_000 });
    assert.deepEqual([await page.title(), await page.locator('html').getAttribute('lang')], ['Campaign platform: the API', 'en']);
    await page.close();
  });

  it('name only commands there are', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    const unknown: string[] = [];
    for (const file of ['README.md', ...globSync('docs/*.md', { cwd: root })]) {
      for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)) {
        if (!scripts[name]) unknown.push(`${file}: npm run ${name}`);
      }
    }
    assert.deepEqual(unknown, []);
  });
});

const anchorsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
