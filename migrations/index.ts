import { FirstTables } from './2026-11-21-01-first-tables.ts';
import { StopRequested } from './2026-11-21-02-stop-requested.ts';
import { SendDeferred } from './2026-11-21-03-send-deferred.ts';
import { UserFields } from './2026-11-21-04-user-fields.ts';
import { People } from './2026-11-21-10-people.ts';
import { Uploads } from './2026-11-21-11-uploads.ts';
import { Whipcounts } from './2026-11-21-20-whipcounts.ts';
import { Donations } from './2026-11-21-30-donations.ts';
import { Crm } from './2026-11-21-40-crm.ts';
import { UserTallies } from './2026-11-21-50-user-tally.ts';
import { Tracking } from './2026-11-21-51-tracking.ts';
import { Mergefiles } from './2026-11-21-52-mergefiles.ts';
import { Recurring } from './2026-11-21-53-recurring.ts';
import { UploadBlocks } from './2026-11-21-110-upload-blocks.ts';
import { SparseActionIndexes } from './2026-11-21-111-sparse-action-indexes.ts';
import { ReportCache } from './2026-11-21-120-report-cache.ts';
import { AudienceStatistics } from './2026-11-21-130-audience-statistics.ts';
import { SendTallies } from './2026-11-21-131-send-tally.ts';
import { DkimKeys } from './2026-11-21-140-dkim-keys.ts';
import { Snippets } from './2026-11-21-150-snippets.ts';
import { SendPace } from './2026-11-21-160-send-pace.ts';
import { AcceptedBefore } from './2026-11-21-170-accepted-before.ts';

/** In the order they are run. A landed migration is never edited. */
export const migrations = [
  { name: '2026-11-21-01-first-tables', class: FirstTables },
  { name: '2026-11-21-02-stop-requested', class: StopRequested },
  { name: '2026-11-21-03-send-deferred', class: SendDeferred },
  { name: '2026-11-21-04-user-fields', class: UserFields },
  { name: '2026-11-21-10-people', class: People },
  { name: '2026-11-21-11-uploads', class: Uploads },
  { name: '2026-11-21-20-whipcounts', class: Whipcounts },
  { name: '2026-11-21-30-donations', class: Donations },
  { name: '2026-11-21-40-crm', class: Crm },
  { name: '2026-11-21-50-user-tally', class: UserTallies },
  { name: '2026-11-21-51-tracking', class: Tracking },
  { name: '2026-11-21-52-mergefiles', class: Mergefiles },
  { name: '2026-11-21-53-recurring', class: Recurring },
  { name: '2026-11-21-150-snippets', class: Snippets },
  { name: '2026-11-21-170-accepted-before', class: AcceptedBefore },
  { name: '2026-11-21-140-dkim-keys', class: DkimKeys },
  { name: '2026-11-21-130-audience-statistics', class: AudienceStatistics },
  { name: '2026-11-21-120-report-cache', class: ReportCache },
  { name: '2026-11-21-131-send-tally', class: SendTallies },
  { name: '2026-11-21-160-send-pace', class: SendPace },
  { name: '2026-11-21-110-upload-blocks', class: UploadBlocks },
  { name: '2026-11-21-111-sparse-action-indexes', class: SparseActionIndexes },
];
