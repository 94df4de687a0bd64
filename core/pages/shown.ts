import { stampsSql } from '../../db/timestamp-sql.ts';

// SQL of what is shown of a page beside its row. `page` is SQL of its id.

const uri = (resource: string, column: string) => `'/rest/v1/${resource}/' || ${column} || '/'`;

/** What follows an action on a page, as one object; null where there is nothing. */
export const followupSql = (page: string): string =>
  `(select to_jsonb(f) - 'page_id' - 'email_from_line_id' - 'email_wrapper_id' || jsonb_build_object(${stampsSql('f')},
      'page', ${uri('page', 'f.page_id')}, 'email_from_line', ${uri('fromline', 'f.email_from_line_id')},
      'email_wrapper', ${uri('emailwrapper', 'f.email_wrapper_id')}, 'resource_uri', ${uri('pagefollowup', 'f.id')})
    from core_pagefollowup f where f.page_id = ${page})`;

/** Types of pages whose texts are known under the name of the type: `signupform`. */
export const TYPES_WITH_FORMS = ['petition', 'signup', 'eventcreate', 'eventsignup'] as const;

/** Resource and id of the texts a page is shown with, such as `signupform/7`; null where there are none. @param type SQL of its type */
export const formSql = (page: string, type: string): string =>
  `coalesce((select 'donationform/' || f.id from core_donationform f where f.page_id = ${page}),
    (select 'whipcountform/' || f.id from core_whipcountform f where f.page_id = ${page}),
    (select case when ${type} in (${TYPES_WITH_FORMS.map((each) => `'${each}'`).join(', ')}) then ${type} else 'cms' end || 'form/' || f.id from core_cmsform f where f.page_id = ${page}))`;
