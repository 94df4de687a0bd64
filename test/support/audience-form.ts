// The form of an audience, as a browser without scripts would send it.

export type Fields = Record<string, string[]>;

const text = (written: string) =>
  written.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
const valueIn = (tag: string) => text(/ value="([^"]*)"/.exec(tag)?.[1] ?? '');
const nameIn = (tag: string) => / name="([^"]*)"/.exec(tag)?.[1] ?? '';

/** What a browser would send of the form of the page if nobody touched it: every field that is not an empty or unticked one. */
export function filled(body: string): Fields {
  const form = /<form[^>]* action="[^"]*\/choose\/"[^>]*>(.*?)<\/form>/s.exec(body)![1]!;
  const inputs = [...form.matchAll(/<input[^>]*>/g)]
    .map(([tag]) => tag)
    .filter((tag) => !tag.includes('type="checkbox"') || / checked[ >]/.test(tag))
    .map((tag): [string, string] => [nameIn(tag), valueIn(tag)]);
  const areas = [...form.matchAll(/(<textarea[^>]*>)\n(.*?)<\/textarea>/gs)].map(([, tag, content]): [string, string] => [
    nameIn(tag!),
    text(content!),
  ]);
  const selects = [...form.matchAll(/(<select[^>]*>)(.*?)<\/select>/gs)].map(([, tag, options]): [string, string] => [
    nameIn(tag!),
    valueIn(/<option[^>]* selected>/.exec(options!)?.[0] ?? ''),
  ]);
  const fields: Fields = {};
  // Rows of several fields are sent whole: what belongs together is told by its place.
  const isSent = (name: string, value: string) => name && (value || /raw_sql|query_reports/.test(name));
  for (const [name, value] of [...inputs, ...areas, ...selects]) if (isSent(name, value)) fields[name] = [...(fields[name] ?? []), value];
  return fields;
}

/** Without what is not whom it is for. */
export function audienceIn(body: string): Fields {
  const { _csrf, targeting_version, set, keep_as, take_from, ...audience } = filled(body);
  const said = Object.entries(audience).map(([name, values]): [string, string[]] => [name, values.filter(Boolean)]);
  return Object.fromEntries(said.filter(([name, values]) => values.length > 0 && !name.endsWith('.dialect')));
}

/** What a form says of itself, without anything in its fields. */
export function hidden(body: string): Record<'_csrf' | 'targeting_version' | 'set', string[]> {
  const { _csrf = [], targeting_version = [], set = [] } = filled(body);
  return { _csrf, targeting_version, set };
}
