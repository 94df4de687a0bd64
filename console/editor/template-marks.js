import { Decoration, MatchDecorator, ViewPlugin } from '@codemirror/view';

// The template language, marked wherever it stands: between tags of HTML, within them, in plain text. HTML around it is for another parser.

/** Values, tags and notes, each on one line. */
const PLACE = /\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}/g;
/** What is in one: marks, texts in quotes, filters, the name of the tag, words that mean something, numbers. What else there is are names of values. */
const PARTS =
  /(?<mark>^\{[{%]-?|-?[}%]\}$)|(?<text>"[^"]*"|'[^']*')|(?<filter>\|\s*\w+)|(?<tag>(?<=^\{%-?\s*)\w+)|(?<word>\b(?:and|or|not|in|is|as|with|only|reversed)\b)|(?<number>\b\d+(?:\.\d+)?\b)|(?<name>[\w.]+)/g;

const KINDS = Object.fromEntries(
  ['note', 'mark', 'text', 'filter', 'tag', 'word', 'number', 'name'].map((kind) => [kind, Decoration.mark({ class: `tpl-${kind}` })]),
);

const marks = new MatchDecorator({
  regexp: PLACE,
  decorate(add, from, to, [source]) {
    if (source.startsWith('{#')) return add(from, to, KINDS.note);
    for (const { index, 0: part, groups } of source.matchAll(PARTS)) {
      const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
      add(from + index, from + index + part.length, KINDS[kind]);
    }
  },
});

/** The marks of what can be seen. */
export const templateMarks = ViewPlugin.define(
  (view) => ({
    decorations: marks.createDeco(view),
    update(update) {
      this.decorations = marks.updateDeco(update, this.decorations);
    },
  }),
  { decorations: (plugin) => plugin.decorations },
);
