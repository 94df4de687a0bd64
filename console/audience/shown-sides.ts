import type { FastifyRequest } from 'fastify';
import type { ApiContext } from '../../api/deps.ts';
import { can } from '../../api/route-options.ts';
import { nameChosen, readChoices } from '../../core/mailings/choices.ts';
import { namePeople } from '../../core/people/find-people.ts';
import { type Sql, sqlOn } from '../../db/sql.ts';
import type { Side } from '../../domain/targeting/compile.ts';
import type { Problems } from '../fields.ts';
import type { MailingDocument } from '../mailings/mailing-document.ts';
import { NAMED, type Named, NEEDS, SIDES } from './audience-fields.ts';
import { MOST_CHOSEN, type OfKind } from './named-part.ts';
import { personLabel } from './person-label.ts';
import { type Filled, idsIn } from './sent-audience.ts';
import type { ShownWhole } from './side-part.ts';

interface Shown {
  mailing: MailingDocument;
  filled: Filled;
  problems: Problems;
  searched: boolean;
}

/** Both sides, with what there is to choose from and the names of what is chosen, as far as the account may read them. */
export async function shownSides(
  context: ApiContext,
  request: FastifyRequest,
  { mailing, filled, problems, searched }: Shown,
): Promise<ShownWhole[]> {
  const sql = sqlOn(context.pool);
  const sides = Object.keys(SIDES) as Side[];
  const chosen = (field: Named | 'users') => sides.flatMap((side) => idsIn(filled[side][field]).slice(0, MOST_CHOSEN));
  const read = (Object.keys(NAMED) as Named[]).map(async (kind) => [kind, await ofKind(sql, kind, chosen(kind))] as const);
  const kinds = Object.fromEntries(await Promise.all(read)) as Record<Named, OfKind>;
  const named = can(request, NEEDS.users) ? await namePeople(sql, chosen('users')) : [];
  const people = new Map(named.map((person) => [person.id, personLabel(person)]));
  const maySet: ShownWhole['maySet'] = (field) => !Object.hasOwn(NEEDS, field) || can(request, NEEDS[field as keyof typeof NEEDS]);
  return sides.map((side) => ({ side, filled: filled[side], problems, searched, kinds, people, stored: mailing[side], maySet }));
}

async function ofKind(sql: Sql, kind: Named, chosen: number[]): Promise<OfKind> {
  const offered = await readChoices(sql, kind);
  const there = new Set(offered.map(({ id }) => id));
  const others = await nameChosen(
    sql,
    kind,
    chosen.filter((id) => !there.has(id)),
  );
  return { offered, others: new Map(others.map(({ id, name }) => [id, name])) };
}
