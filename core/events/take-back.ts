import type { Sql } from '../../db/sql.ts';

/**
 * An action on a page of type eventsignup is about to be deleted: who came by it alone does not come, and leaves their place to others. One who has signed up on pages of the
 * campaign by other actions, too, stays, and comes by the last of these from now on: so they stay until all are gone. Of them only the last is known to have been for this event.
 * Events that were made by an action stay, with their hosts: others come to them.
 * @param pageGone a page all actions of which are deleted
 */
export async function takeBackSignup(sql: Sql, actionId: number, pageGone: number | null = null): Promise<void> {
  const [signup] = await sql<{ id: number; user_id: number; campaign_id: number }>(
    `select s.id, s.user_id, e.campaign_id from events_eventsignup s join events_event e on e.id = s.event_id
     where s.action_id = $1 and s.role = 'attendee' for update of s`,
    [actionId],
  );
  if (!signup) return;
  // Held: one that is being deleted at this moment is waited for, and is none.
  const [other] = await sql<{ id: number; page_id: number }>(
    `select a.id, a.page_id from core_action a join core_page g on g.id = a.page_id and g.type = 'eventsignup' join events_eventpage p on p.page_ptr_id = g.id
     where a.user_id = $1 and a.id <> $2 and p.campaign_id = $3 and a.page_id is distinct from $4
       and not exists (select from events_eventsignup other where other.action_id = a.id)
     order by a.id desc for key share of a`,
    [signup.user_id, actionId, signup.campaign_id, pageGone],
  );
  if (other) {
    await sql('update events_eventsignup set action_id = $2, page_id = $3, updated_at = now() where id = $1', [
      signup.id,
      other.id,
      other.page_id,
    ]);
  } else await sql('delete from events_eventsignup where id = $1', [signup.id]);
}

/**
 * A page is about to be deleted, and its actions with it: the same for each of them.
 * @param among of these actions alone; all of the page when absent
 */
export async function takeBackSignupsOf(sql: Sql, pageId: number, among: number[] | null = null): Promise<void> {
  const which = `a.page_id = $1 and ($2::int[] is null or a.id = any($2::int[]))`;
  // At once whoever did nothing else in the campaign, who are nearly all.
  await sql(
    `delete from events_eventsignup s using core_action a, events_event e
     where ${which} and s.action_id = a.id and s.role = 'attendee' and e.id = s.event_id and not exists (
       select from core_action o join core_page g on g.id = o.page_id and g.type = 'eventsignup' join events_eventpage p on p.page_ptr_id = g.id
       where o.user_id = s.user_id and o.page_id <> $1 and p.campaign_id = e.campaign_id)`,
    [pageId, among],
  );
  const left = await sql<{ action_id: number }>(
    `select s.action_id from events_eventsignup s join core_action a on a.id = s.action_id where ${which} and s.role = 'attendee' order by s.id`,
    [pageId, among],
  );
  for (const { action_id: actionId } of left) await takeBackSignup(sql, actionId, pageId);
}
