import type { Sql } from '../../db/sql.ts';
import { leadingTo } from '../../domain/web-address.ts';

/** What the page for people shows. The texts are HTML of the page's makers; what callers and files bring is escaped. */
export interface PublicWhipcount {
  id: number;
  name: string;
  title: string;
  language: string;
  introduction_text: string;
  script_text: string;
  survey_question_text: string;
  thank_you_text: string;
  required_fields: string[];
  client_hosted: boolean;
  client_url: string;
  /** Where callers are led once they have reported; empty where the page says nothing of that. */
  leads_to: string;
}

/** @returns null for a page that is hidden, inactive or none of a whip count */
export async function findPublicWhipcount(sql: Sql, name: string): Promise<PublicWhipcount | null> {
  if (name.includes('\0')) return null;
  const [found] = await sql<PublicWhipcount & { followup_url: string; url: string }>(
    `select p.id, p.name, p.title, p.required_fields, coalesce(nullif(l.iso_code, ''), 'en') as language, f.introduction_text, f.script_text, f.survey_question_text,
       f.thank_you_text, f.client_hosted, f.client_url, coalesce(u.url, '') as followup_url, p.url
     from core_page p join core_whipcountform f on f.page_id = p.id left join core_language l on l.id = p.language_id
       left join core_pagefollowup u on u.page_id = p.id
     where p.name = $1 and p.type = 'whipcount' and p.status = 'active' and not p.hidden`,
    [name],
  );
  if (!found) return null;
  const { followup_url, url, ...page } = found;
  return { ...page, leads_to: leadingTo(followup_url, url) };
}
