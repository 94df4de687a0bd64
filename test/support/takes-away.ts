import { type Node, parse } from 'libpg-query';

/** What an earlier release's statements may still name. */
const NAMED = ['OBJECT_TABLE', 'OBJECT_VIEW', 'OBJECT_MATVIEW', 'OBJECT_SEQUENCE', 'OBJECT_TYPE', 'OBJECT_FUNCTION', 'OBJECT_SCHEMA'];
const ALTERED: Record<string, string> = {
  AT_DropColumn: 'drops a column',
  AT_AlterColumnType: 'gives a column another type',
  AT_SetNotNull: 'forbids null in a column',
};
/** By these an earlier release's insert, which does not name the column, has a value for it. */
const FILLED = ['CONSTR_DEFAULT', 'CONSTR_IDENTITY', 'CONSTR_GENERATED'];
const SERIAL = /^(small|big)?serial\d?$/;

/**
 * What a migration takes from the release before, whose processes run on while it is upgraded.
 * @param sql statements
 * @returns a phrase for each
 */
export async function takesAway(sql: string): Promise<string[]> {
  const { stmts = [] } = await parse(sql);
  return stmts.flatMap(({ stmt }) => (stmt ? taken(stmt as Node) : []));
}

// biome-ignore lint/suspicious/noExplicitAny: a tree of the grammar
function taken(statement: any): string[] {
  const { DropStmt: drop, RenameStmt: rename, AlterTableStmt: alter } = statement;
  if (rename) return ['renames'];
  if (statement.TruncateStmt) return ['empties a table'];
  if (drop) return NAMED.includes(drop.removeType) ? [`drops a ${drop.removeType.replace('OBJECT_', '').toLowerCase()}`] : [];
  // biome-ignore lint/suspicious/noExplicitAny: a tree of the grammar
  return (alter?.cmds ?? []).flatMap(({ AlterTableCmd: { subtype, def } }: any) => {
    if (subtype === 'AT_ColumnDefault' && !def) return ['drops a default'];
    if (subtype === 'AT_AddColumn') return mustBeGiven(def.ColumnDef) ? ['adds a column that must be given'] : [];
    return ALTERED[subtype] ?? [];
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a tree of the grammar
function mustBeGiven({ constraints = [], typeName }: any): boolean {
  const kinds: string[] = constraints.map((each: { Constraint: { contype: string } }) => each.Constraint.contype);
  const serial = SERIAL.test(typeName.names.at(-1).String.sval);
  return (
    kinds.some((kind) => ['CONSTR_NOTNULL', 'CONSTR_PRIMARY'].includes(kind)) && !serial && !kinds.some((kind) => FILLED.includes(kind))
  );
}
