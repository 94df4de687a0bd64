import type { FastifyInstance } from 'fastify';
import { MailingLinks } from '../../core/tracking/mailing-links.ts';
import { TrackWriter } from '../../core/tracking/track-writer.ts';
import { readAkid } from '../../domain/akid.ts';
import { clickTarget, isMachine, TRACKING_PATH } from '../../domain/track-links.ts';
import { asLocation } from '../../domain/web-address.ts';
import type { ApiContext } from '../deps.ts';
import { CountedMinutes } from '../plugins/counted-windows.ts';
import { open } from '../route-options.ts';

/** One transparent point. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
/** Openings and clicks of one mail in a minute that are recorded: more are no person's doing, and rows anybody who has a mail could pile up. */
const MOST_OF_A_MAIL = 600;

/**
 * What mails lead to: the open pixel and the redirect of clicks. The redirect goes to links of the mailing only, so it cannot be turned on anybody; an akid that
 * is not ours still gets there (people mangle links) but is recorded for nobody. Addresses are not limited: a mail provider's few ask for all its people.
 */
export function registerTracking(app: FastifyInstance, context: ApiContext): void {
  const writer = new TrackWriter(context.pool, (error, waiting) =>
    app.log.warn({ error: error.message, waiting }, 'tracking waits for the database'),
  );
  const links = new MailingLinks(context.pool);
  const ofMail = new CountedMinutes();
  app.addHook('onClose', () => writer.close());
  const note = (akid: string, link: number | null, method: string, agent: string | undefined) => {
    const ids = readAkid(context.env.SECRET_KEY, akid);
    if (!ids?.mailingId || ofMail.add(`${ids.mailingId}.${ids.userId}`) > MOST_OF_A_MAIL) return;
    writer.add({ userId: ids.userId, mailingId: ids.mailingId, link, machine: isMachine(method, agent) });
  };
  const params = (more: object) => ({ type: 'object', properties: { akid: { type: 'string' }, ...more } });

  app.get(
    `${TRACKING_PATH.open}:akid`,
    {
      ...open({ uncounted: true, alike: true }),
      schema: {
        tags: ['Public'],
        summary: 'The open pixel of a mail',
        params: params({}),
        response: { 200: { description: 'A transparent picture.', content: { 'image/gif': { schema: { type: 'string' } } } } },
      },
    },
    async (request, reply) => {
      const { akid } = request.params as { akid: string };
      note(akid.replace(/\.gif$/, ''), null, request.method, request.headers['user-agent']);
      return reply.header('cache-control', 'no-store').type('image/gif').send(PIXEL);
    },
  );

  app.get(
    `${TRACKING_PATH.click}:akid/:link`,
    {
      ...open({ uncounted: true, alike: true }),
      schema: {
        tags: ['Public'],
        summary: 'Follow a link of a mail',
        params: params({ link: { type: 'string', description: 'Its number in the mailing.' } }),
        response: {
          302: { type: 'null', description: 'To where the link leads.', headers: { location: { type: 'string' } } },
          404: { type: 'null', description: 'The mailing has no such link.' },
        },
      },
    },
    async (request, reply) => {
      const { akid, link } = request.params as { akid: string; link: string };
      const mailingId = Number(/^(\d{1,9})\.\d{1,10}\.[\w-]{6}$/.exec(akid)?.[1] ?? 0);
      const url = /^\d{1,5}$/.test(link) && mailingId ? await links.of(mailingId, Number(link)) : undefined;
      const target = url === undefined ? undefined : asLocation(clickTarget(url, akid, context.env.BASE_URL));
      if (target === undefined) return reply.code(404).send();
      note(akid, Number(link), request.method, request.headers['user-agent']);
      return reply.header('cache-control', 'no-store').redirect(target, 302);
    },
  );
}
