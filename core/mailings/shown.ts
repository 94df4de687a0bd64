// SQL of what is shown of a mailing beside its row. `mailing` is SQL of its id.

/** As JSON: from an array of the database the driver puts texts together letter by letter, a tenth of a second where subjects are as long as may be. */
export const subjectTextsSql = (column: 'text' | 'preview_text', mailing: string): string =>
  `to_json(array(select s.${column} from core_mailingsubject s where s.mailing_id = ${mailing} order by s.position))`;

/** Subjects with their ids, in order. */
export const subjectsSql = (mailing: string): string =>
  `(select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'text', s.text, 'preview_text', s.preview_text) order by s.position), '[]')
    from core_mailingsubject s where s.mailing_id = ${mailing})`;

export const tagNamesSql = (mailing: string): string =>
  `array(select n.name from core_tag n join core_mailing_tags p on p.tag_id = n.id where p.mailing_id = ${mailing} order by n.name)`;
