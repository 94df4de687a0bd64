const STYLE = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 32rem; margin: 15vh auto; padding: 0 1rem; color: #222; background: #fff }
button { font: inherit; padding: .6rem 1.4rem; border: 0; border-radius: .4rem; background: #1a56db; color: #fff; cursor: pointer }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #181818 } }`;

/** A small page for people. `title` and `text` are ours, never what a caller sent; `more` is HTML. */
export function htmlPage(title: string, text: string, more: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${STYLE}</style></head>
<body><h1>${title}</h1><p>${text}</p>${more}</body>
</html>
`;
}
