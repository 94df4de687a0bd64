import type { Sql } from '../../db/sql.ts';
import { fragment, run, statement, tables } from '../../entities/tables.ts';

const host = statement(({ pageId, hostedWith }: { pageId: number; hostedWith: string | null }) =>
  tables
    .insertInto('core_whipcountpage')
    .values({ page_ptr_id: pageId, hosted_with: fragment<string>`coalesce(${hostedWith}, '')` })
    .onConflict((there) =>
      there.column('page_ptr_id').doUpdateSet({ hosted_with: fragment<string>`coalesce(${hostedWith}, core_whipcountpage.hosted_with)` }),
    ),
);

const ensureForm = statement(({ pageId }: { pageId: number }) =>
  tables
    .insertInto('core_whipcountform')
    .values({ page_id: pageId })
    .onConflict((there) => there.column('page_id').doNothing()),
);

const heldForm = statement(({ pageId }: { pageId: number }) =>
  tables.selectFrom('core_whipcountform').where('page_id', '=', pageId).select('id').forUpdate(),
);

/** What a whip-count page has beyond any page: where it is hosted, and its form. @param hostedWith null leaves it as it is */
export async function saveWhipcountPage(sql: Sql, pageId: number, hostedWith: string | null): Promise<void> {
  await host(sql, { pageId, hostedWith });
  await ensureForm(sql, { pageId });
}

/** The form of a page, held. */
export async function holdWhipcountForm(sql: Sql, pageId: number): Promise<number> {
  const [form] = await heldForm(sql, { pageId });
  return form!.id;
}

/** The target groups a page has afterwards. The page has changed with them. */
export async function saveTargetGroups(sql: Sql, pageId: number, groupIds: number[]): Promise<void> {
  await sql(
    `with gone as (
       delete from core_whipcountpage_target_groups where page_id = $1 and targetgroup_id <> all($2::int[]) returning 1
     ), added as (
       insert into core_whipcountpage_target_groups (page_id, targetgroup_id) select $1, g from unnest($2::int[]) g on conflict do nothing returning 1
     )
     update core_page set updated_at = now() where id = $1 and (exists (select from gone) or exists (select from added))`,
    [pageId, groupIds],
  );
}

/** Whether nobody may change a target group. */
export async function isReadonlyGroup(sql: Sql, groupId: number): Promise<boolean> {
  const [group] = await run(sql, tables.selectFrom('core_targetgroup').where('id', '=', groupId).select('readonly'));
  return group?.readonly === true;
}
