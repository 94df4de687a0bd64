import type { Sql } from '../../db/sql.ts';

/** What a whip-count page has beyond any page: where it is hosted, and its form. @param hostedWith null leaves it as it is */
export async function saveWhipcountPage(sql: Sql, pageId: number, hostedWith: string | null): Promise<void> {
  await sql(
    `insert into core_whipcountpage (page_ptr_id, hosted_with) values ($1, coalesce($2, ''))
     on conflict (page_ptr_id) do update set hosted_with = coalesce($2, core_whipcountpage.hosted_with)`,
    [pageId, hostedWith],
  );
  await sql('insert into core_whipcountform (page_id) values ($1) on conflict (page_id) do nothing', [pageId]);
}

/** The form of a page, held. */
export async function holdWhipcountForm(sql: Sql, pageId: number): Promise<number> {
  const [form] = await sql<{ id: number }>('select id from core_whipcountform where page_id = $1 for update', [pageId]);
  return form!.id;
}

/** The target groups a page has afterwards. */
export async function saveTargetGroups(sql: Sql, pageId: number, groupIds: number[]): Promise<void> {
  await sql('delete from core_whipcountpage_target_groups where page_id = $1 and targetgroup_id <> all($2::int[])', [pageId, groupIds]);
  await sql(
    `insert into core_whipcountpage_target_groups (page_id, targetgroup_id) select $1, g from unnest($2::int[]) g on conflict do nothing`,
    [pageId, groupIds],
  );
}

/** Whether nobody may change a target group. */
export async function isReadonlyGroup(sql: Sql, groupId: number): Promise<boolean> {
  const [group] = await sql<{ readonly: boolean }>('select readonly from core_targetgroup where id = $1', [groupId]);
  return group?.readonly === true;
}
