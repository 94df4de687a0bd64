/**
 * Libraries of PHP, Ruby and browsers that write a list into a form say `lists[]`, or `lists[0]`, and the same of `required`, `user_<name>` and `action_<name>`.
 * Passed over, `lists` would mean the list of the page, and all lists where people leave; nothing would be required; a field would have brackets in its name, and
 * not be the one a page requires.
 */
export function withMembers(given: Record<string, unknown>): Record<string, unknown> {
  const lists = new Map<string, unknown[]>();
  for (const [name, value] of Object.entries(given)) {
    const list = listOf(name);
    if (list === null) continue;
    const found = lists.get(list) ?? [given[list] ?? []].flat();
    // Put behind those there are: copied for each member, thousands would hold everybody up.
    for (const each of [value].flat()) found.push(each);
    lists.set(list, found);
  }
  if (lists.size === 0) return given;
  const others = Object.entries(given).filter(([name]) => listOf(name) === null && !lists.has(name));
  return Object.fromEntries([...others, ...[...lists].map(([name, values]) => [name, members(name, values)] as const)]);
}

/** Of which list a field is a member; no pattern looks for the bracket, since a name may be nothing but brackets. */
function listOf(name: string): string | null {
  const bracket = name.lastIndexOf('[');
  if (bracket < 0 || !/^\[\d*\]$/.test(name.slice(bracket))) return null;
  const list = name.slice(0, bracket);
  return list === 'lists' || list === 'required' || /^(user|action)_./.test(list) ? list : null;
}

/** An empty text alone is how a form says that there are none. */
function members(name: string, values: unknown[]): unknown[] | null {
  const filled = values.filter((each) => each !== '' && each !== null);
  return filled.length > 0 || name !== 'lists' ? filled : null;
}
