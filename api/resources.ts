import { emailwrapper, fromline, queryreport, tag } from './mailer/parts.ts';
import type { ResourceDeclaration } from './resource/declare.ts';
import { language, list } from './users/lists.ts';

/** Every resource of the kit, said out loud. */
export const resources: ResourceDeclaration[] = [list, language, tag, fromline, emailwrapper, queryreport];

/** Resources with routes of their own, which others refer to: name → table. Those of one table name the same objects. */
export const elsewhere: Record<string, string> = { mailer: 'core_mailing', mailing: 'core_mailing' };
