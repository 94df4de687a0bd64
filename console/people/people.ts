import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../api/deps.ts';
import { registerPersonEdit } from './edit-person.ts';
import { registerErasePages } from './erase-page.ts';
import { registerImportCheck } from './import-check.ts';
import { registerImportDraft } from './import-draft.ts';
import { registerImports } from './import-list.ts';
import { registerImportPage } from './import-page.ts';
import { registerListPages } from './list-pages.ts';
import { registerMergePages } from './merge-page.ts';
import { registerPersonLists } from './person-lists.ts';
import { registerPersonPage } from './person-page.ts';
import { registerPersonRecord } from './person-record-pages.ts';
import { registerPeopleSearch } from './search-page.ts';

/** The pages about people. */
export function registerPeople(app: FastifyInstance, context: ApiContext): void {
  registerPeopleSearch(app, context);
  registerPersonPage(app, context);
  registerPersonLists(app, context);
  registerPersonRecord(app, context);
  registerPersonEdit(app, context);
  registerMergePages(app, context);
  registerErasePages(app, context);
  registerListPages(app, context);
  registerImports(app, context);
  registerImportDraft(app, context);
  registerImportCheck(app, context);
  registerImportPage(app, context);
}
