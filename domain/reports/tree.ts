// Walking the tree PostgreSQL's grammar makes of a statement.

/** A node, or a part of one: its members by name. */
export type Tree = Record<string, unknown>;

/**
 * Every node of the tree with the name it stands under, and how many typed nodes (`SelectStmt`, `A_Expr` …) stand above it. A list of its own
 * instead of recursion: the tree may be deeper than our stack.
 */
export function* nodes(root: unknown): Generator<[key: string, node: Tree, depth: number]> {
  const open: [string, unknown, number][] = [['', root, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [key, value, depth] = next;
    if (typeof value !== 'object' || value === null) continue;
    yield [key, value as Tree, depth];
    for (const [name, member] of Object.entries(value)) open.push([name, member, isType(name) ? depth + 1 : depth]);
  }
}

/** Types of nodes begin with a capital; names of members do not. */
export const isType = (key: string): boolean => key >= 'A' && key < '[';

/** Whether the query is two with UNION, INTERSECT or EXCEPT between them. */
export const isSetOperation = (query: Tree): boolean => query['larg'] !== undefined;
