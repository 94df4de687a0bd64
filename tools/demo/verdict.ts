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
  /** How many of those told as uncertain did get their mail. */
  uncertainSeen: number;
}

export interface Verdict {
  /** Targeted, told neither as failed nor skipped nor uncertain, and without mail. */
  lost: number;
  duplicated: number;
  /** Every way in which what was told and what was seen do not agree; empty when all is well. */
  disagreements: string[];
}

/** Holds what the platform tells against what was seen. */
export function judge(told: Told, seen: Seen): Verdict {
  const { targeted, accepted, failed, skipped, uncertain } = told;
  const lost = targeted - seen.recipients - failed - skipped - (uncertain - seen.uncertainSeen);
  const checks: [boolean, string][] = [
    [told.status === 'completed', `the mailing is ${told.status}`],
    [targeted > 0, 'nobody was targeted'],
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
