import type { EntityMetadata, EntityProperty } from '@mikro-orm/core';
import { OTHER_NAMES, REPORT_COLUMNS, REPORT_QUERIES } from './report-public-names.ts';
import { REPORT_TABLES } from './report-views.ts';

/** Tables that belong together in one picture, by the beginning of their name; the first that fits takes it. */
const AREAS: [title: string, tables: RegExp][] = [
  ['Whip counts', /^core_(target|whipcount)/],
  ['Donations', /^core_(order|transaction|paymentaccount|donation|currency|candidate|product)/],
  ['Mailings', /^(core_(mailing|fromline|emailwrapper|(failed)?usermailing|open|click|bounce|transactionalmailing|tracked)|reports_)/],
  ['Pages, actions and events', /^(core_(page|action|tag|cmsform)|events_)/],
  ['People', /./],
];

/**
 * The tables and columns reports may read, as Markdown with one Mermaid diagram per area, made from the entities.
 * @param all metadata of every table, those between many and many too
 */
export function reportDiagram(all: Iterable<EntityMetadata>): string {
  const metadata = new Map([...all].map((meta) => [meta.tableName, meta]));
  const hidden = new Map(REPORT_TABLES.map((each) => [each.table, each.hidden]));
  const tables = [...hidden.keys(), ...Object.keys(REPORT_QUERIES), ...Object.keys(OTHER_NAMES)].sort();
  const left = new Set(tables);
  const parts = AREAS.map(([title, pattern]) => {
    const inside = [...left].filter((table) => pattern.test(table));
    for (const table of inside) left.delete(table);
    return inside.length > 0 ? `## ${title}\n\n${picture(inside)}\n` : '';
  });
  return `# What reports can read\n\nMade from the entities by \`npm run report-diagram\`. A line leads from a column to the table it refers to.\n\n${parts.filter(Boolean).join('\n')}`;

  function picture(inside: string[]): string {
    const lines: string[] = [];
    const boxes = inside.map((table) => {
      const source = OTHER_NAMES[table] ?? table;
      const meta = hidden.has(source) ? metadata.get(source) : undefined;
      const own = meta ? columnsOf(meta, hidden.get(source) ?? []) : columnsOfQuery(REPORT_QUERIES[table] ?? '');
      const known = new Set(own.map(({ name }) => name));
      const columns = [
        ...own,
        ...Object.entries(REPORT_COLUMNS[source] ?? {}).flatMap(([name, what]) =>
          known.has(name) ? [] : [{ name, type: typeOf(name, what), to: null }],
        ),
      ];
      for (const { name, to } of columns) if (to && tables.includes(to)) lines.push(`  ${table} }o--|| ${to} : ${name}`);
      return [`  ${table} {`, ...columns.map(({ name, type }) => `    ${type} ${name}`), '  }'].join('\n');
    });
    return ['```mermaid', 'erDiagram', ...boxes, ...lines, '```'].join('\n');
  }
}

interface Column {
  name: string;
  type: string;
  to: string | null;
}

/** Of a view of ours: the names its select list ends its members with. */
function columnsOfQuery(query: string): Column[] {
  // Brackets hide what is within them; the innermost go first.
  let flat = query;
  for (let before = ''; before !== flat; ) {
    before = flat;
    flat = flat.replace(/\([^()]*\)/g, '');
  }
  const list = /^\s*select\s+(?:distinct\s+)?([\s\S]*?)\s+(?:from|where)\s/i.exec(flat)?.[1] ?? '';
  return list.split(',').flatMap((member) => {
    const name = /(\w+)"?\s*$/.exec(member)?.[1];
    return name ? [{ name, type: typeOf(name, member), to: null }] : [];
  });
}

/** As far as its name and what it is say it. */
function typeOf(name: string, what: string): string {
  if (/_at(_utc)?$|^(last_login|date_joined)$|^last_(open|click|mailing)/.test(name)) return 'timestamptz';
  if (/^is_/.test(name) || /boolean|^(true|false)$/.test(what)) return 'boolean';
  if (/bigint/.test(what)) return 'bigint';
  if (/^amount/.test(name)) return 'numeric';
  return /text|p\.name/.test(what) || /^(name|title|url|value|mailbox_provider|username|first_name|last_name|email)$/.test(name)
    ? 'text'
    : 'int';
}

function columnsOf(meta: EntityMetadata, hidden: readonly string[]): Column[] {
  return (meta.props as EntityProperty[])
    .filter(({ kind, persist }) => persist !== false && (kind === 'scalar' || kind === 'm:1' || kind === '1:1'))
    .flatMap((property) =>
      (property.fieldNames ?? []).map((name, index) => ({
        name,
        type: typeName(property.columnTypes[index]),
        to: property.targetMeta?.tableName ?? null,
      })),
    )
    .filter(({ name }) => !hidden.includes(name));
}

/** `numeric(14,2)` → `numeric`; a serial is an int to whoever reads it. */
const typeName = (type = 'text'): string => (type === 'serial' ? 'int' : type.replace(/\(.*$/, '').replaceAll(' ', '_'));
