import { setCampaignPages } from '../../core/pages/campaign-pages.ts';
import { missingIds, readReference } from '../../core/references.ts';
import { InputError } from '../../domain/errors.ts';
import { MultilingualCampaign } from '../../entities/pages/multilingual-campaign.ts';
import { type Change, type FieldOverride, resource } from '../resource/declare.ts';
import { SINCE, TIMES } from '../resource/operators.ts';
import { belonging } from '../users/user.ts';

const MOST_PAGES = 1_000;

const collection = belonging('page', 'multilingual_campaign');

const pages: FieldOverride = {
  ...collection,
  kind: 'list',
  readonly: false,
  required: false,
  nullIsAbsent: true,
  help: 'URI of the page collection, filtered. Written, a list of the pages that are of it afterwards, as URIs or ids; the URI that was read changes nothing.',
  taken: { anyOf: [{ type: 'array', items: { type: ['string', 'integer'] }, maxItems: MOST_PAGES }, { type: ['string', 'null'] }] },
  read: (given) => {
    if (typeof given !== 'string' && !Array.isArray(given)) throw new Error('must be a list');
    if (given.length > MOST_PAGES) throw new Error(`must have at most ${MOST_PAGES} members`);
    return [given].flat();
  },
};

/** @throws InputError for what is no page */
async function savePages({ sql, id, extra, context }: Change): Promise<void> {
  const given = extra['pages'] as unknown[] | undefined;
  // Clients send back the whole object they read.
  if (given === undefined || (given.length === 1 && given[0] === collection.show!({ id }, context))) return;
  const ids = given.map((each) => {
    try {
      return readReference(context, 'page', each);
    } catch (error) {
      throw new InputError({ pages: `pages must hold pages: each ${(error as Error).message}.` });
    }
  });
  const missing = await missingIds(sql, context.registry, 'page', ids);
  if (missing.length > 0) throw new InputError({ pages: `pages refers to nothing: there is no page ${missing.slice(0, 5).join(', ')}.` });
  await setCampaignPages(sql, id, ids);
}

/** Pages that ask for the same in several languages, found by what they say of it. */
export const multilingualcampaign = resource({
  name: 'multilingualcampaign',
  about: 'pages that ask for the same in several languages',
  area: 'Pages',
  entity: MultilingualCampaign,
  fields: { name: { trim: true }, pages },
  filtering: { id: SINCE, name: 'all', created_at: TIMES, updated_at: TIMES },
  ordering: ['name', 'created_at', 'updated_at'],
  permission: 'page',
  hooks: { afterCreate: savePages, afterUpdate: savePages },
  plain: ({ extra }) => extra['pages'] === undefined,
});
