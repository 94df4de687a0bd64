import type { FastifyRequest } from 'fastify';
import type { ApiContext } from '../../api/deps.ts';
import { inputContext } from '../../api/mailer/input-context.ts';
import { changeMailing } from '../../api/mailer/write-routes.ts';
import { targetingWith } from '../../core/mailings/write-mailing.ts';
import { readCounted } from '../../core/targeting/explain-audience.ts';
import { sqlOn } from '../../db/sql.ts';
import { StaleVersionError } from '../../domain/errors.ts';
import { sameTargeting } from '../../domain/targeting/change.ts';

/** What a form has of an audience. */
interface Wanted {
  includes: object;
  excludes: object;
}

/** Saves it. @param version of the targeting that the form was made of @throws StaleVersionError where somebody else has changed it since; what `changeMailing` throws */
export async function saveAudience(context: ApiContext, request: FastifyRequest, id: number, wanted: Wanted, version: number | string) {
  try {
    await changeMailing(context, request, id, { ...wanted, targeting_version: version });
  } catch (error) {
    // Sent a second time, or by two presses: what is stored is what was sent.
    if (!(error instanceof StaleVersionError) || !(await changesNothing(context, request, id, wanted))) throw error;
  }
}

async function changesNothing(context: ApiContext, request: FastifyRequest, id: number, wanted: Wanted): Promise<boolean> {
  const stored = { ...(await readCounted(context, id)), mails_per_second: null };
  const after = await targetingWith(stored, wanted, inputContext(context, sqlOn(context.pool), request));
  return (
    sameTargeting(stored, after) &&
    (['landing_page_id', 'mergefile_id'] as const).every((narrowedBy) => (stored[narrowedBy] ?? null) === (after[narrowedBy] ?? null))
  );
}
