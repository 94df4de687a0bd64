import Fastify, { type FastifyInstance } from 'fastify';
import type pg from 'pg';

/** What is pushed. */
export interface PushBody {
  donationpage: { name: string };
  order: { amount: string; card_num: string; trans_id: string; donation_import_id: string };
  user: { email: string; first_name: string; last_name: string };
  action: { fields: Record<string, string> };
}

/**
 * The other side of the comparison: one route without checks, credentials or conversion that writes the same rows as a push, one plain statement
 * after the other in one transaction, and answers with two ids.
 */
export function bareDonations(pool: pg.Pool): FastifyInstance {
  const app = Fastify();
  app.post('/push', async (request) => {
    const { donationpage, order, user, action } = request.body as PushBody;
    const client = await pool.connect();
    try {
      const one = async (text: string, values: unknown[]) => (await client.query(text, values)).rows[0];
      await client.query('begin');
      const page = await one('select id, list_id from core_page where name = $1', [donationpage.name]);
      const person = await one(
        `insert into core_user (email, first_name, last_name, source) values ($1, $2, $3, 'restful_api')
         on conflict (lower(email)) do update set first_name = excluded.first_name returning id, xmax = 0 as created`,
        [user.email, user.first_name, user.last_name],
      );
      const detail = await one(
        'insert into core_orderuserdetail (user_id, email, first_name, last_name) values ($1, $2, $3, $4) returning id',
        [person.id, user.email, user.first_name, user.last_name],
      );
      const made = await one(
        `insert into core_action (user_id, page_id, source, created_user, subscribed_user) values ($1, $2, 'restful_api', $3, $3) returning id`,
        [person.id, page.id, person.created],
      );
      for (const [name, value] of Object.entries(action.fields)) {
        await client.query('insert into core_actionfield (parent_id, name, value) values ($1, $2, $3)', [made.id, name, value]);
      }
      const placed = await one(
        `insert into core_order (action_id, user_id, user_detail_id, account_id, card_num_last_four, total, total_converted, import_id)
         values ($1, $2, $3, 1, $4, $5, $5, $6) returning id`,
        [made.id, person.id, detail.id, order.card_num.slice(-4), order.amount, order.donation_import_id],
      );
      await client.query(
        `insert into core_transaction (type, order_id, account_id, amount, amount_converted, trans_id) values ('sale', $1, 1, $2, $2, $3)`,
        [placed.id, order.amount, order.trans_id],
      );
      if (person.created) {
        await client.query('insert into core_subscription (user_id, list_id) values ($1, $2)', [person.id, page.list_id]);
        await client.query(`insert into core_subscriptionhistory (user_id, list_id, change, action) values ($1, $2, 'subscribe_api', $3)`, [
          person.id,
          page.list_id,
          made.id,
        ]);
        await client.query(`update core_user set subscription_status = 'subscribed' where id = $1`, [person.id]);
      }
      await client.query('commit');
      return { action: made.id, order: placed.id };
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  });
  return app;
}
