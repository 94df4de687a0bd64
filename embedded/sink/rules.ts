/** What a client has just done. `message`: the end of the content has come, by DATA or BDAT. `content`: the first of the content has. */
export const MOMENTS = [
  'connect',
  'ehlo',
  'helo',
  'starttls',
  'auth',
  'mail',
  'rcpt',
  'data',
  'bdat',
  'content',
  'message',
  'rset',
  'quit',
] as const;
export type SinkMoment = (typeof MOMENTS)[number];

/** A departure from what a sink does by itself, so that every trouble a relay can make can be made on purpose. */
export interface SinkRule {
  at: SinkMoment;
  /** Only when this regular expression fits: the command's argument; at `content` and `message` the recipient. */
  match?: string;
  /**
   * Sent as it is with a line end (not at `content`); nothing when absent and `next` is given. A mail is counted only if its reply begins with 2. At `bdat`
   * it is sent when the chunk has been read, unless `next` is given.
   */
  reply?: string;
  /** The reply is sent without its line end: half a line. */
  half?: boolean;
  /** What follows: the connection is closed, or nothing is answered ever again. */
  next?: 'close' | 'stall';
  /** How often it applies; always when absent. */
  times?: number;
  /** Only from this event of its kind on (1 is the first) within a connection. */
  from?: number;
  /** At `bdat`: so many bytes more than the chunk has are read as its content, or fewer. */
  misread?: number;
  /** Counts the mail although no positive reply is sent: the relay has it, and the client will not know. */
  keep?: boolean;
}

/** The rules of a sink, each with how often it may still apply. */
export class Rules {
  #rules: { rule: SinkRule; match: RegExp | null; left: number }[] = [];

  set(rules: readonly SinkRule[]): void {
    this.#rules = rules.map((rule) => ({ rule, match: rule.match ? new RegExp(rule.match, 'i') : null, left: rule.times ?? Infinity }));
  }

  get none(): boolean {
    return this.#rules.length === 0;
  }

  /** @param nth the how manieth event of its kind this is on its connection */
  find(at: SinkMoment, argument: string, nth: number): SinkRule | null {
    for (const entry of this.#rules) {
      const { rule, match } = entry;
      if (rule.at !== at || entry.left <= 0 || nth < (rule.from ?? 1) || (match && !match.test(argument))) continue;
      entry.left--;
      return rule;
    }
    return null;
  }
}
