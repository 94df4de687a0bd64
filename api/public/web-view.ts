import type { FastifyInstance } from 'fastify';
import { simpleParser } from 'mailparser';
import { recipientColumns } from '../../core/sending/recipient-columns.ts';
import { readAkid } from '../../domain/akid.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import { compileOnce } from '../../mail/compile-once.ts';
import { type MailingContent, type Recipient, RenderError } from '../../mail/contracts.ts';
import type { ApiContext } from '../deps.ts';
import { empty, TOO_MANY } from '../resource/answers.ts';
import { DESCRIBES_ONLY } from '../resource/routes.ts';
import { open } from '../route-options.ts';

/** Mails run no scripts in a mail reader, so they run none here. `ancestors`: whose frames it may stand in. */
export const mailPolicy = (ancestors: "'none'" | "'self'"): string =>
  `default-src 'none'; img-src * data:; style-src 'unsafe-inline' *; font-src *; frame-ancestors ${ancestors}; base-uri 'none'; form-action 'none'`;

/** `GET /view/{akid}`: a mail on the web, for whom it was sent to, made of the content that was frozen when it was. */
export function registerWebView(app: FastifyInstance, { env, pool, guesses }: ApiContext): void {
  const settings = { baseUrl: env.BASE_URL, mailDomain: env.MAIL_DOMAIN, secretKey: env.SECRET_KEY };
  const schema = {
    tags: ['Public'],
    summary: 'A mail on the web',
    params: { type: 'object', required: ['akid'], properties: { akid: { type: 'string' } } },
    response: {
      200: { description: 'The mail.', content: { 'text/html': { schema: { type: 'string' } } } },
      404: empty('No mail of a web_viewable mailing that was sent to this person.'),
      ...TOO_MANY,
    },
  };
  app.get('/view/:akid', { ...DESCRIBES_ONLY, ...open(), schema }, async (request, reply) => {
    const { akid } = request.params as { akid: string };
    guesses.check(request, akid);
    const ids = readAkid(env.SECRET_KEY, akid);
    if (!ids?.mailingId) throw new NotFoundError();
    const html = await mailOf(ids.mailingId, ids.userId);
    return reply
      .header('cache-control', 'private, no-store')
      .header('referrer-policy', 'no-referrer')
      .header('content-security-policy', mailPolicy("'none'"))
      .type('text/html; charset=utf-8')
      .serializer((body: string) => body)
      .send(html);
  });

  async function mailOf(mailingId: number, userId: number): Promise<string> {
    const sent = await pool.query<{ content: MailingContent; position: number }>(
      `select r.content -> 'content' as content, l.position from core_mailing m
         join send_run r on r.mailing_id = m.id join send_record l on l.mailing_id = m.id
       where m.id = $1 and m.web_viewable and l.user_id = $2 and l.state = any($3)`,
      [mailingId, userId, [LEDGER_STATE.sending, LEDGER_STATE.accepted, LEDGER_STATE.uncertain]],
    );
    const [row] = sent.rows;
    if (!row) throw new NotFoundError();
    const mail = compileOnce(row.content, settings);
    const found = await pool.query<Recipient>(`select u.id as user_id, u.email${recipientColumns(mail)} from core_user u where u.id = $1`, [
      userId,
    ]);
    if (!found.rows[0]) throw new NotFoundError();
    try {
      const { message } = mail.render({ ...found.rows[0], position: row.position });
      const { html } = await simpleParser(Buffer.from(message, 'latin1'));
      return html || '';
    } catch (error) {
      // What the mail needs of the person is gone since.
      if (error instanceof RenderError) throw new NotFoundError();
      throw error;
    }
  }
}
