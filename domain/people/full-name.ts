/** A name in one text as first and last: the last word is the last name, where there are several. */
export function splitName(name: string): { first_name: string; last_name: string } {
  const words = name.split(/\s+/);
  const last = words.length > 1 ? words.pop()! : '';
  return { first_name: words.join(' '), last_name: last };
}
