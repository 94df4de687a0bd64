import type { EntityMetadata, EntityProperty } from '@mikro-orm/core';
import { REPORT_QUERIES, REPORT_TABLES } from './report-views.ts';

/** Tables that belong together in one picture, by the beginning of their name; the first that fits takes it. */
const AREAS: [title: string, tables: RegExp][] = [
  ['Whip counts', /^core_(target|whipcount)/],
  ['Donations', /^core_(order|transaction|paymentaccount|donation|currency|candidate|product)/],
  ['Mailings', /^(core_(mailing|fromline|emailwrapper|usermailing|open|click|bounce|transactionalmailing|tracked)|reports_)/],
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
  const tables = [...hidden.keys(), ...Object.keys(REPORT_QUERIES)].sort();
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
      const meta = metadata.get(table);
      const columns = meta ? columnsOf(meta, hidden.get(table) ?? []) : columnsOfQuery(REPORT_QUERIES[table] ?? '');
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
  const list = /^\s*select\s+([\s\S]*?)\s+from\s/i.exec(query)?.[1] ?? '';
  const names = list.split(/,(?![^(]*\))/).map((member) => /(\w+)"?\s*$/.exec(member)?.[1] ?? '');
  return names.filter(Boolean).map((name) => ({ name, type: name.endsWith('_at') ? 'timestamptz' : 'int', to: null }));
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
