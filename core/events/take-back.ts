import type { Sql } from '../../db/sql.ts';

/**
 * An action on a page of type eventsignup is about to be deleted: who came by it alone does not come, and leaves their place to others. One who has signed up on pages of the
 * campaign by other actions, too, stays: of these only the last is known to have been for this event. Events that were made by an action stay, with their hosts: others come to them.
 */
export async function takeBackSignup(sql: Sql, actionId: number): Promise<void> {
  await sql(
    `delete from events_eventsignup s using events_event e where s.action_id = $1 and s.role = 'attendee' and e.id = s.event_id
       and not exists (select from core_action a join core_page g on g.id = a.page_id and g.type = 'eventsignup' join events_eventpage p on p.page_ptr_id = g.id
         where a.user_id = s.user_id and a.id <> $1 and p.campaign_id = e.campaign_id
           and not exists (select from events_eventsignup other where other.action_id = a.id))`,
    [actionId],
  );
}
