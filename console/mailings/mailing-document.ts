import type { ApiContext } from '../../api/deps.ts';
import { Reader } from '../../api/resource/read.ts';
import { isStopping } from '../../core/mailings/existing.ts';
import { NotFoundError } from '../../domain/errors.ts';
import type { ShownTargeting } from '../../domain/targeting/explain.ts';
import type { MailingStatus, QueryStatus } from '../../domain/words.ts';
import { type Html, html } from '../html.ts';
import { templated } from '../templated.ts';
import { type Condition, conditionMark } from '../watch/condition.ts';
import { conditionSoon } from '../watch/glance.ts';

/** A mailing as GET /rest/v1/mailer/{id}/ shows it: the part of it the console uses. */
export interface MailingDocument {
  id: number;
  subjects: string[];
  preview_text: string[];
  fromline: string;
  custom_fromline: string;
  reply_to: string;
  notes: string;
  tags: string[];
  lang: string | null;
  web_viewable: boolean;
  track_opens: boolean;
  track_clicks: boolean;
  includes: ShownTargeting;
  excludes: ShownTargeting;
  limit: number | null;
  sort_by: 'zip' | 'random' | null;
  target_mergefile: boolean;
  target_group_from_landing_page: boolean;
  rebuild_query_at_send: boolean;
  mails_per_second: number | null;
  status: MailingStatus;
  query_status: QueryStatus;
  query_completed_at: string | null;
  query_previous_runtime: number | null;
  targeting_version: number;
  targeting_version_saved: number | null;
  created_at: string;
  scheduled_for: string | null;
  queued_at: string | null;
  started_at: string | null;
  finished_at: string | null;
  expected_send_count: number | null;
  recurring_schedule: string | null;
  /** In the archive: not listed. */
  hidden: boolean;
  /** Somebody has asked it to stop, and it has not stopped yet. */
  stopping: boolean;
  /** Where it stands, by its status and by what its run says. */
  condition: Condition;
}

const readers = new WeakMap<ApiContext, Reader>();

/** @param look finds out where it stands. @throws NotFoundError */
export async function readMailing(context: ApiContext, id: number, look = conditionSoon): Promise<MailingDocument> {
  const reader = readers.get(context) ?? new Reader(context.registry.get('mailer'), context);
  readers.set(context, reader);
  const [found, stopping] = await Promise.all([reader.one(id), isStopping(context.pool, id)]);
  if (!found) throw new NotFoundError();
  const mailing = { ...found, stopping } as unknown as Omit<MailingDocument, 'condition'>;
  return { ...mailing, condition: await look(context, id, mailing) };
}

export const titleOf = ({ subjects }: Pick<MailingDocument, 'subjects'>): string => subjects[0] || 'Without a subject';

const TABS = {
  '': 'Overview',
  'edit/': 'Content',
  'choose/': 'Audience',
  'preview/': 'Preview and proofs',
  'results/': 'Results',
  'recipients/uncertain/': 'Not accepted',
} as const;
export type Tab = keyof typeof TABS;

/** What stands above every page about one mailing. */
export function mailingHead(mailing: Pick<MailingDocument, 'id' | 'subjects' | 'condition'>, tab: Tab | null): Html {
  const { id, condition } = mailing;
  return html`<p class="crumb"><a href="/console/mailings/">Mailings</a> / ${id}</p>
<div class="title"><h1>${templated(titleOf(mailing))}</h1><span data-region="status">${conditionMark(condition)}</span></div>
<nav class="tabs" aria-label="Mailing ${id}">${Object.entries(TABS).map(
    ([path, word]) => html`<a href="/console/mailings/${id}/${path}"${path === tab ? html` aria-current="page"` : ''}>${word}</a>`,
  )}</nav>`;
}
