import type { Sql } from '../../db/sql.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { leadingTo } from '../../domain/web-address.ts';
import type { PageType } from '../../domain/words.ts';
import { once, type Repeatable } from '../once.ts';
import type { ProcessedAction } from './process.ts';

/**
 * Does what a submission means that may be sent again: once.
 * @param process in the same transaction
 * @throws what `process` throws; NotFoundError where what it did before is gone
 */
export async function processOnce(
  sql: Sql,
  again: Repeatable | undefined,
  process: () => Promise<ProcessedAction>,
): Promise<ProcessedAction> {
  let done: ProcessedAction | undefined;
  const actionId = await once(sql, again, async () => {
    done = await process();
    return done.actionId;
  });
  return done ?? processedBefore(sql, actionId);
}

async function processedBefore(sql: Sql, actionId: number): Promise<ProcessedAction> {
  const [action] = await sql<{
    userId: number;
    mailingId: number | null;
    type: PageType;
    name: string;
    url: string;
    followupUrl: string;
  }>(
    `select a.user_id as "userId", a.mailing_id as "mailingId", p.type, p.name, p.url, coalesce(f.url, '') as "followupUrl"
     from core_action a join core_page p on p.id = a.page_id left join core_pagefollowup f on f.page_id = p.id where a.id = $1`,
    [actionId],
  );
  if (!action) throw new NotFoundError();
  const { userId, mailingId, type, name, url, followupUrl } = action;
  // Its mails are with those of the first: what nobody has started the sweep starts.
  return { actionId, userId, mailingId, page: { type, name, leadsTo: leadingTo(followupUrl, url) }, mailIds: [] };
}
