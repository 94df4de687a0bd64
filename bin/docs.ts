import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Marked } from 'marked';
import { takeNothing } from './command.ts';

// npm run docs: the pages of docs/ as a site in site/, with the API reference beside them. Any web server can give it out, or it is opened from its folder; it needs nothing from elsewhere.
takeNothing('npm run docs');
const { detachedApi } = await import('../api/describe/detached.ts');
const { installConsole } = await import('../console/console.ts');
const root = dirname(import.meta.dirname);
const site = join(root, 'site');
rmSync(site, { recursive: true, force: true });
mkdirSync(site);

const ORDER = ['tutorial', 'client-authors', 'console', 'mailer', 'templates', 'users', 'whipcounts-and-reports', 'donations', 'crm'];
const place = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
const pages = globSync('docs/*.md', { cwd: root })
  .map((file) => ({ file, name: basename(file, '.md'), text: readFileSync(join(root, file), 'utf8') }))
  .sort((a, b) => place(a.name) - place(b.name) || (a.name < b.name ? -1 : 1));
const titleOf = (text: string) => /^# (.+)$/m.exec(text)?.[1] ?? '';

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const id = text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} -]/gu, '')
        .replaceAll(' ', '-');
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      // A page of the site; what is not on it is in the repository.
      const target = href.replace(/^(?:\.\/)?([\w-]+)\.md(#.*)?$/, '$1.html$2');
      return `<a href="${target}">${this.parser.parseInline(tokens)}</a>`;
    },
  },
});
const shell = readFileSync(join(import.meta.dirname, '../docs/site/page.html'), 'utf8');
const menu = pages.map(({ name, text }) => `<li><a href="${name}.html">${titleOf(text)}</a></li>`).join('\n');
const fill = (title: string, body: string) =>
  shell
    .replaceAll('{{title}}', () => title)
    .replace('{{menu}}', () => menu)
    .replace('{{body}}', () => body);

for (const { name, text } of pages) writeFileSync(join(site, `${name}.html`), fill(titleOf(text), await marked.parse(text)));
// Files of the repository are named, not led to: they are not on the site.
const readme = readFileSync(join(root, 'README.md'), 'utf8')
  .replaceAll('](docs/', '](')
  .replace(/\[([^\]]+)\]\((?!https?:)(?![\w-]+\.md)[^)]+\)/g, '$1');
writeFileSync(join(site, 'index.html'), fill('Campaign Platform', await marked.parse(readme)));
cpSync(join(root, 'docs/site/style.css'), join(site, 'style.css'));
if (existsSync(join(root, 'docs/images'))) cpSync(join(root, 'docs/images'), join(site, 'images'), { recursive: true });

const api = await detachedApi(installConsole);
mkdirSync(join(site, 'js'));
const given = async (path: string) => (await api.inject(path)).rawPayload;
writeFileSync(join(site, 'js/scalar.js'), await given('/docs/js/scalar.js'));
const document = await given('/rest/v1/openapi.json');
writeFileSync(join(site, 'openapi.json'), document);
// As a script, too: a page that is opened from its folder may ask for nothing else.
writeFileSync(join(site, 'js/openapi.js'), `const openapi = ${document};\n`);
const reference = String(await given('/docs/'))
  .replace('<script src="js/scalar.js">', '<script src="js/openapi.js"></script>\n    $&')
  .replace('"url": "/rest/v1/openapi.json"', '"content": openapi');
writeFileSync(join(site, 'reference.html'), reference);
await api.close();
console.log(`${pages.length + 2} pages in site/`);
