import type { ReportParameter, ReportRow } from '../template/contracts.ts';
import type { Allowance } from './bucket.ts';

// The three narrow interfaces of a mail's way: what is sent (frozen content), to whom (recipient row), and over what (relay).

/** Everything about a mailing that its mails are made of, frozen when sending starts. Plain JSON: it is stored in `send_run.content`. */
export interface MailingContent {
  mailingId: number;
  /** Recipient at position n gets `subjects[n % subjects.length]`. Preview texts are matched by index, the last one standing for those missing. */
  subjects: string[];
  previewTexts: string[];
  /** Templates; an empty `text` is generated from the HTML. */
  html: string;
  text: string;
  /** Ready `"Name" <address>`. */
  from: string;
  replyTo: string;
  wrapper: { template: string; textTemplate: string; unsubscribeText: string; unsubscribeHtml: string } | null;
  fields: Record<string, string>;
  /** The file whose rows templates may show; null when there is none. Absent where templates are only checked. */
  mergefile?: { id: number; columns: string[] } | null;
  /** Page whose targets templates may show; null when there is none. Absent like mergefile. */
  landingPage?: number | null;
  /** Snippets the templates include, and those these include, by name. */
  snippets?: Record<string, Snippet>;
  /** Saved reports the templates show, by short name. */
  reports?: Record<string, FrozenReport>;
  /** How each version shows a link to leave by. Told before links are tracked; absent where they stand as they were written, and can be looked at. */
  waysToLeave?: { html: WayToLeave; text: WayToLeave };
  /** ISO code for Content-Language, or empty. */
  language: string;
  /** ISO 8601: what templates see as now; null is the moment of rendering. */
  pretendDate: string | null;
}

/** Whether there is a link: one that was made by hand, or `ours`, which may stand in a branch, so that each mail has to note whether it showed it. */
export type WayToLeave = boolean | 'ours';

/** A piece of template that others include. An empty `text` is made of the HTML. */
export interface Snippet {
  html: string;
  text: string;
}

/** A saved report as templates show it. */
export interface FrozenReport {
  /** Names of the parameters it needs. */
  parameters: string[];
  /** Its rows, read once for the mailing, by `reportKey` of the parameters; none before they are read. */
  runs: Record<string, ReportRow[]>;
}

/** A report some template shows, with the parameters it stands there with. */
export interface WantedReport {
  name: string;
  parameters: Readonly<Record<string, ReportParameter>>;
}

export const reportKey = (parameters: WantedReport['parameters']): string => JSON.stringify(Object.entries(parameters).sort());

/** A row of the audience: the columns the compiled mailing asked for, by their database names, and these always. */
export interface Recipient {
  user_id: number;
  position: number;
  email: string;
  /** Custom fields by name, a list when the field has several values; only when asked for. */
  fields?: Record<string, string | string[]>;
  /** The person's row of the mergefile, their location, and the targets of the landing page that stand for them; each only when asked for. */
  row?: Record<string, string> | null;
  location?: Record<string, unknown> | null;
  targets?: Record<string, unknown>[];
  [column: string]: unknown;
}

/**
 * One mail ready for the wire: CRLF line ends, the last line ended, no line beginning with a dot, without the final dot line. ASCII; only an address
 * beyond ASCII in its To header is UTF-8, one character per byte.
 */
export interface Mail {
  envelopeFrom: string;
  envelopeTo: string;
  message: string;
}

/** A mailing compiled once and rendered per recipient. */
export interface CompiledMailing {
  /** Columns of core_user the templates use beyond id and email. */
  userColumns: string[];
  /** Which custom fields the templates read: none, those of these names, or all. */
  needsFields: boolean | readonly string[];
  /** Whether any reads the location. */
  needsLocation?: boolean;
  /** The merge file whose rows are read, and the page whose targets are; null when none is. */
  mergefile?: number | null;
  targetsOfPage?: number | null;
  /** The reports whose rows are shown. */
  reports?: WantedReport[];
  /**
   * @param at what templates see as now; left out, it is the moment of rendering
   * @throws RenderError with the reason this recipient has to be skipped
   */
  render(recipient: Recipient, at?: Date): Mail;
  /**
   * The mail of a recipient, for a reviewer to look at. Its links and its bounce address name nobody.
   * @param to the reviewer's address
   * @param name of the proof, so that each has a Message-ID of its own
   * @throws RenderError
   */
  renderProof(recipient: Recipient, to: string, name: string): Mail;
}

export { RenderError } from '../template/errors.ts';

export type Outcome =
  /** The relay took responsibility (2xx after the final dot). */
  | { kind: 'accepted'; reply: string }
  /**
   * 5xx about this mail: final. `unasked`: the address is one the relay cannot even be asked about, so that it says nothing about the relay. `unable`: it was not asked,
   * because it does not offer what this mail needs; another relay may.
   */
  | { kind: 'failed'; reply: string; unasked?: true; unable?: true }
  /** 4xx about this mail: may be tried again. */
  | { kind: 'deferred'; reply: string }
  /** The connection was lost after the message began to leave and before its reply: nobody knows. */
  | { kind: 'uncertain'; reply: string }
  /** Not for this address, on this instance: nothing was tried. */
  | { kind: 'withheld'; reply: string }
  /**
   * The relay certainly does not have it: no connection, lost before the content, 421, told to give up before it was written. `refused-credentials` also when
   * it refuses our sender for good: bounce addresses differ in numbers only, so that is for an operator to mend and not a recipient's failure.
   */
  | { kind: 'unsent'; reply: string; relay: 'down' | 'refused-credentials' | 'busy' | 'given-up' };

/** A way out for mail. One per worker process; connections are opened on demand, shared, kept while idle. */
export interface Relay {
  /** Connections it may hold at most just now; more sends than this wait in line. */
  readonly connections: number;
  /** This process has no time to spare, so that mails go to a connection several at a time (depth.ts). Absent where nothing is known of it. */
  readonly isPressed?: boolean;
  /** How many of so many mails its rates allow now. Absent where it has none. */
  admit?(wanted: number): Allowance;
  /**
   * Never rejects. `mayWrite` is asked when the mail is begun, and again right before the message would go on the wire: false gives it up as
   * `unsent`/`given-up` (a worker that slept past its lease must not send what it claimed before). `urgent` goes before all that wait in line.
   */
  send(mail: Mail, mayWrite?: () => boolean, urgent?: boolean): Promise<Outcome>;
  close(): Promise<void>;
}
