// A tag of HTML that stands in a template: a `>` in quotes, or in a tag of the template, does not end it.

const CLOSING: Readonly<Record<string, string>> = { '{{': '}}', '{%': '%}' };
/** What begins a tag of the template, what ends one of HTML, a value and where it is that of a link. A tag of the template may stand right before the name. */
const PART = /\{[{%]|>|(?:(?<=[\s}"'])(href)\s*)?=[\t\n\f\r ]*(["']|[^\s>{]*)/gi;
/** What begins a tag of the template in a value, or ends that. */
const IN_VALUE = { '"': /\{[{%]|"/g, "'": /\{[{%]|'/g } as const;

export interface HtmlTag {
  /** Where its `>` stands; the end of the text where it is not closed, as where a quote in it is not: readers show nothing behind that. */
  end: number;
  /** Where the values of its `href` in quotes begin and end: a tag of the template may choose between several. */
  hrefs: [begin: number, end: number][];
}

/** Reads tags of one template, from where they begin. In time in proportion to the template for all of them together, as long as each begins behind the end of the one before. */
export function tagReader(source: string): (start: number) => HtmlTag {
  /** What opens behind the last that closes is no more than text. */
  const last = Object.fromEntries(Object.entries(CLOSING).map(([opening, closing]) => [opening, source.lastIndexOf(closing)]));

  /** The next match that is not in a tag of the template. */
  function next(pattern: RegExp, from: number): RegExpExecArray | null {
    pattern.lastIndex = from;
    for (let part = pattern.exec(source); part; part = pattern.exec(source)) {
      const closing = CLOSING[part[0]];
      if (closing === undefined) return part;
      if (part.index < last[part[0]]!) pattern.lastIndex = source.indexOf(closing, part.index) + 2;
    }
    return null;
  }

  return (start) => {
    const hrefs: HtmlTag['hrefs'] = [];
    for (let at = start; ; ) {
      const part = next(PART, at);
      if (!part) return { end: source.length, hrefs };
      const [found, href, value] = part;
      if (found === '>') return { end: part.index, hrefs };
      at = part.index + found.length;
      if (value !== '"' && value !== "'") continue;
      const end = next(IN_VALUE[value], at)?.index ?? source.length;
      if (href) hrefs.push([at, end]);
      at = end + 1;
    }
  };
}
