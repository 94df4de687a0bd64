import { hash } from 'node:crypto';
import type { Person } from './people.ts';

// What a round's mailing has to be, written down before it is sent: who gets it, and what everybody's mail says. It knows the API and the specification and
// nothing of the code that sends; the hash of the akid, too, is made here once more.

/** A mailing as it was ordered. */
export interface Expected {
  mailingId: number;
  /** A word that stands in every mail of it, and in no other. */
  token: string;
  /** Mails per second. */
  rate: number;
  /** By address: everybody must get it, once. */
  must: Map<string, Person>;
  /** By address: those who left, were merged or erased under way; from then on (performance.now()) they get nothing that is not on its way already. */
  left: Map<string, { person: Person; at: number }>;
}

export const SUBJECTS = ['A vote on Thursday', 'For {{ user.first_name|default:"you" }}: a vote', 'Your call counts'] as const;
const PETITION = 'https://petition.example/sign';

/** What is written into the mailing. */
export const contentOf = (token: string) => ({
  subjects: [...SUBJECTS],
  custom_fromline: `"Chaos ${token}" <chaos@example.org>`,
  html: `<p>Dear {{ user.first_name|default:"friend" }},</p><p><a href="${PETITION}?round=${token}&amp;akid={{ akid }}">Sign</a> or <a href="{{ unsubscribe_link }}">leave</a></p>`,
  text: `Dear {{ user.first_name|default:"friend" }},\nsign: ${PETITION}?round=${token}&akid={{ akid }}\nleave: {{ unsubscribe_link }}`,
});

/** decisions on akids: mailing, user, and the first six characters of URL-safe base64 of SHA-256 over secret, dot and what stands before. */
export const akidOf = (secret: string, mailingId: number, userId: number): string =>
  `${mailingId}.${userId}.${hash('sha256', `${secret}.${mailingId}.${userId}`, 'base64url').slice(0, 6)}`;

/** Where a click on the petition's link of this mail must lead to. */
export const petitionOf = (token: string, akid: string): string => `${PETITION}?round=${token}&akid=${akid}`;

/** The subjects somebody of that name may find, in the order of SUBJECTS. */
export const subjectsOf = (name: string): string[] => SUBJECTS.map((subject) => subject.replace(/\{\{.*\}\}/, name || 'you'));

/** The links of a mail, those that count its opening and clicks among them. */
export function linksOf(baseUrl: string, akid: string) {
  const [click, leave] = [`${baseUrl}/click/${akid}/0`, `${baseUrl}/unsubscribe/?akid=${akid}`];
  return { html: [click, leave, `${baseUrl}/open/${akid}.gif`], text: [click, leave], leave };
}
