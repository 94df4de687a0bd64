import { escapeHtml } from '../../template/output.ts';
import { ERROR_GUIDE, type ErrorGroup } from './error-guide.ts';

const INTRODUCTION =
  'Every answer with an error has a header `Link` with `rel="help"` that leads to its status here. What can be mended is said in words under a key; programs go by status and key, never by the words.';

/** The page of errors in Markdown. */
export function errorMarkdown(): string {
  const section = ({ status, name, about, entries }: ErrorGroup) =>
    [
      `## ${status} ${name}`,
      '',
      about,
      '',
      '| Key | Means | What to do |',
      '|---|---|---|',
      ...entries.map(({ key, means, todo }) => `| ${key} | ${means} | ${todo} |`),
    ].join('\n');
  return ['# Errors', '', 'Printed by `npm run describe -- errors`.', '', INTRODUCTION, '', ERROR_GUIDE.map(section).join('\n\n'), ''].join(
    '\n',
  );
}

const STYLE = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid #8884 }
:target { outline: 2px solid #1a56db; outline-offset: .4rem } code { font-size: .9em }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #181818 } }`;

/** Text with `code` in it. */
const written = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** The same as a page; each status has its number as an anchor. */
export function errorHtml(): string {
  const sections = ERROR_GUIDE.map(({ status, name, about, entries }) => {
    const rows = entries.map(
      ({ key, means, todo }) => `<tr><td>${written(key)}</td><td>${written(means)}</td><td>${written(todo)}</td></tr>`,
    );
    return `<section id="${status}"><h2>${status} ${name}</h2><p>${written(about)}</p>
<table><thead><tr><th>Key</th><th>Means</th><th>What to do</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></section>`;
  });
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Errors</title><style>${STYLE}</style></head>
<body><h1>Errors</h1><p>${written(INTRODUCTION)}</p>${sections.join('\n')}</body>
</html>
`;
}
