import { type MikroORM, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import Fastify, { type FastifyInstance } from 'fastify';
import { Order, OrderUserDetail, Transaction } from '../../entities/donations/order.ts';
import { PaymentAccount } from '../../entities/donations/payment-account.ts';
import { Action, ActionField, Page } from '../../entities/pages/page.ts';
import { List, Subscription, SubscriptionHistory } from '../../entities/people/list.ts';
import { User } from '../../entities/people/user.ts';
import type { PushBody } from './bare-donations.ts';

// What the same would cost if every read were `em.findOne` and every write `em.create` or a change, and `flush`: routes without checks, credentials or conversion.

/** Reads, creates and changes users. */
export function ormUsers(orm: MikroORM): FastifyInstance {
  const app = Fastify();
  const idOf = (request: { params: unknown }) => Number((request.params as { id: string }).id);
  app.get('/user/:id', (request) => orm.em.fork().findOne(User, idOf(request)));
  app.post('/user/', async (request, reply) => {
    const { email, first_name: firstName } = request.body as { email: string; first_name: string };
    const em = orm.em.fork();
    const user = em.create(User, { email, firstName });
    await em.flush();
    return reply.code(201).header('location', `/user/${user.id}`).send();
  });
  app.patch('/user/:id', async (request, reply) => {
    const em = orm.em.fork();
    const user = await em.findOneOrFail(User, idOf(request));
    user.firstName = (request.body as { first_name: string }).first_name;
    await em.flush();
    return reply.code(202).send();
  });
  return app;
}

/** Takes donation pushes and writes the rows bareDonations writes. */
export function ormDonations(orm: MikroORM): FastifyInstance {
  const app = Fastify();
  app.post('/push', (request) => {
    const pushed = () => push(orm, request.body as PushBody);
    // Two pushes of one new person at once: the later one finds the person the earlier one made.
    return pushed().catch((error) => (error instanceof UniqueConstraintViolationException ? pushed() : Promise.reject(error)));
  });
  return app;
}

function push(orm: MikroORM, { donationpage, order, user, action }: PushBody): Promise<{ action: number; order: number }> {
  return orm.em.fork().transactional(async (em) => {
    const page = await em.findOneOrFail(Page, { name: donationpage.name });
    const known = await em.findOne(User, { email: user.email });
    const names = { firstName: user.first_name, lastName: user.last_name };
    const person = known ?? em.create(User, { email: user.email, ...names, source: 'restful_api' });
    Object.assign(person, names);
    const detail = em.create(OrderUserDetail, { user: person, email: user.email, ...names });
    const isNew = !known;
    const made = em.create(Action, { user: person, page, source: 'restful_api', createdUser: isNew, subscribedUser: isNew });
    for (const [name, value] of Object.entries(action.fields)) em.create(ActionField, { parent: made, name, value });
    const account = em.getReference(PaymentAccount, 1);
    const { amount } = order;
    const placed = em.create(Order, {
      action: made,
      user: person,
      userDetail: detail,
      account,
      cardNumLastFour: order.card_num.slice(-4),
      total: amount,
      totalConverted: amount,
      importId: order.donation_import_id,
    });
    em.create(Transaction, { type: 'sale', order: placed, account, amount, amountConverted: amount, transId: order.trans_id });
    await em.flush();
    if (isNew) {
      const list = em.getReference(List, page.list!.id);
      em.create(Subscription, { user: person, list });
      em.create(SubscriptionHistory, { user: person, list, change: 'subscribe_api', action: made.id });
      person.subscriptionStatus = 'subscribed';
      await em.flush();
    }
    return { action: made.id, order: placed.id };
  });
}
