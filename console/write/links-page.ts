import type { FastifyInstance } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { callerGone } from '../../api/plugins/caller-gone.ts';
import { idOf } from '../../api/resource/routes.ts';
import { checkLinks, linksIn } from '../../core/mailings/check-links.ts';
import { readContent } from '../../core/sending/content.ts';
import { html } from '../html.ts';
import { sendPage } from '../layout.ts';
import { mailingHead, readMailing } from '../mailings/mailing-document.ts';
import { counted } from '../numbers.ts';
import { saveSent, showUnsaved } from './save-draft.ts';

/** `POST …/{id}/check-links`: saves the form as it is sent, and asks from here whether the links of the mailing are answered. */
export function registerLinksPage(app: FastifyInstance, context: ApiContext): void {
  app.post('/console/mailings/:id/check-links', page('mailer:write'), async (request, reply) => {
    const id = idOf(request);
    try {
      await saveSent(context, request, id);
    } catch (error) {
      return showUnsaved(context, request, reply, id, error);
    }
    const mailing = await readMailing(context, id);
    const { content: written } = await readContent(context.pool, id, '');
    const how = { anywhere: context.env.WEBHOOKS_INSIDE, signal: callerGone(request) };
    const { checked, left } = await checkLinks(linksIn(`${written.html} ${written.wrapper?.template ?? ''}`), how);
    const bad = checked.filter(({ problem }) => problem !== null).length;
    const rows = checked.map(
      ({ url, problem }) =>
        html`<tr><th scope="row" class="address">${url}</th><td>${problem === null ? 'answered' : html`<strong class="wrong">${problem}</strong>`}</td></tr>`,
    );
    const content = html`${mailingHead(mailing, 'edit/')}<section class="card" aria-labelledby="links-title"><h2 id="links-title">${
      bad
        ? `${counted(bad, 'link is', 'links are')} not answered`
        : checked.length
          ? 'Every link is answered'
          : 'There is no link that is the same for everybody'
    }</h2>
${rows.length ? html`<div class="scroll" tabindex="0" role="group" aria-labelledby="links-title"><table><thead><tr><th scope="col">Link</th><th scope="col">Found</th></tr></thead><tbody>${rows}</tbody></table></div>` : ''}
${left ? html`<p class="small">${counted(left, 'more was', 'more were')} not asked.</p>` : ''}<p class="small">Saved, and asked just now, from this server; links with merge fields in them are left out.</p><p><a href="/console/mailings/${id}/edit/">Back to the content</a></p></section>`;
    return sendPage(request, reply, context.env, { title: `Links – mailing ${id}`, content });
  });
}
