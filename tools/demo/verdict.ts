/** What the platform says became of a mailing. */
export interface Told {
  status: string;
  targeted: number;
  accepted: number;
  failed: number;
  skipped: number;
  uncertain: number;
}

/** What was seen where the mail arrived. */
export interface Seen {
  recipients: number;
  duplicated: number;
  /** Who got a mail and was not to get one. */
  strangers: number;
  /** How many of those told as uncertain did get their mail. */
  uncertainSeen: number;
}

export interface Verdict {
  /** To get it, told neither as failed nor skipped nor uncertain, and without mail. */
  lost: number;
  duplicated: number;
  /** Every way in which what was told and what was seen do not agree; empty when all is well. */
  disagreements: string[];
}

/**
 * Holds what the platform tells against what was seen.
 * @param expected how many were to get it: those who were signed up, counted before the send and not by the platform
 */
export function judge(told: Told, seen: Seen, expected: number): Verdict {
  const { targeted, accepted, failed, skipped, uncertain } = told;
  const lost = expected - seen.recipients - failed - skipped - (uncertain - seen.uncertainSeen);
  const checks: [boolean, string][] = [
    [told.status === 'completed', `the mailing is ${told.status}`],
    [expected > 0, 'nobody was to get it'],
    [targeted === expected, `${expected} were to get it, ${targeted} were targeted`],
    [seen.strangers === 0, `${seen.strangers} got it who were not to`],
    [accepted + failed + skipped + uncertain === targeted, `accepted, failed, skipped and uncertain do not add up to ${targeted} targeted`],
    [
      accepted === seen.recipients - seen.uncertainSeen,
      `${accepted} accepted, but mail for ${seen.recipients - seen.uncertainSeen} arrived`,
    ],
    [lost === 0, `${lost} lost`],
    [seen.duplicated === 0, `${seen.duplicated} mailed twice`],
  ];
  return { lost, duplicated: seen.duplicated, disagreements: checks.filter(([holds]) => !holds).map(([, what]) => what) };
}
