/** What a client asked and was answered. */
export interface Exchange {
  method: string;
  /** With its query. */
  path: string;
  status: number;
  /** Of the request. */
  contentType: string;
  /** Text of the answer. */
  answer: string;
  allow: string;
  location: string;
}

/** Areas by the first part of a path below /rest/v1/, and the page that says what works there. */
const PAGES: [pattern: RegExp, page: string][] = [
  [/^(mailer|mailing|fromline|emailwrapper|mergefile|snippet|recurring)/, 'docs/mailer.md'],
  [/^(donation|order|transaction|recurringpayment|profile|paymentaccount|candidate|product)/, 'docs/donations.md'],
  [/^(report|queryreport|backgroundtask|whipcount|target|congress)/, 'docs/whipcounts-and-reports.md'],
  [/^(crmmap|partner)/, 'docs/crm.md'],
  [/^(user|phone|location|list|subscription|eraser|usermerge|upload|action|page|.*(action|page|form)$)/, 'docs/users.md'],
];

/** What would work in place of a request that was refused, in a sentence, and where that is written. */
export function adviceFor({ method, path, status, contentType, allow, location }: Exchange): { words: string; page: string } {
  const resource = /\/rest\/v1\/+([^/?]+)/.exec(path)?.[1] ?? '';
  const page = PAGES.find(([pattern]) => pattern.test(resource))?.[1] ?? 'docs/client-authors.md#what-to-look-at';
  switch (status) {
    case 401:
      return { words: 'Send basic credentials of an active account.', page: 'docs/client-authors.md#what-to-look-at' };
    case 403:
      return { words: 'The account lacks the grant that the answer names.', page: 'docs/permissions.md' };
    case 404:
      return { words: `Nothing is at this address; GET /rest/v1/ lists every resource.`, page };
    case 405:
      return { words: `${method} is not offered here, but ${allow || 'other methods'}; /rest/v1/${resource}/schema/ says which.`, page };
    case 409:
      return { words: location ? `It is there already: ${location}` : 'Read the object again, and send the change on top of it.', page };
    case 413:
      return { words: 'The body is larger than API_BODY_LIMIT, or an upload than UPLOAD_LIMIT.', page: 'docs/operations.md' };
    case 415:
      return {
        words: `Send JSON${contentType ? ` instead of ${contentType}` : ' with its content type'}, or a form where the page says so.`,
        page,
      };
    case 429:
      return { words: 'Wait for Retry-After; the limits are settings.', page: 'docs/client-authors.md#what-to-look-at' };
    case 503:
      return {
        words: 'A part of the platform is away or busy: wait for Retry-After and send it again.',
        page: 'docs/client-authors.md#what-to-look-at',
      };
    default:
      return { words: status >= 500 ? 'This is a defect of the platform.' : 'The answer names the field and what it takes.', page };
  }
}
