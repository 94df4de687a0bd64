// Reports about mail, in the shapes of the examples of RFC 3464 (appendix E) and RFC 5965.

const crlf = (text: string) => text.replace(/\r?\n/g, '\r\n');

/** @param status the part of type message/delivery-status */
const statusReport = (to: string, status: string) =>
  crlf(`From: Mail Delivery <MAILER-DAEMON@relay.example>
To: ${to}
Subject: Returned mail
Message-ID: <${Math.random()}@relay.example>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
 boundary="RAA14128.773615765/relay.example"

--RAA14128.773615765/relay.example

The original message could not be delivered.

--RAA14128.773615765/relay.example
content-type: message/delivery-status

${status}
--RAA14128.773615765/relay.example
content-type: message/rfc822

From: campaign@campaign.localhost
Subject: Hello

[original message goes here]

--RAA14128.773615765/relay.example--
`);

/** A delivery status notification about one recipient (RFC 3464, E.1). */
export const dsn = (
  to: string,
  {
    action = 'failed',
    status = '5.1.1',
    diagnostic = 'smtp; 550 5.1.1 unknown user',
    about = 'rfc822; somebody@example.org',
    original = '',
  } = {},
) =>
  statusReport(
    to,
    `Reporting-MTA: dns; relay.example
Arrival-Date: Thu, 7 Jul 1994 16:15:05 -0400

${original && `Original-Recipient: ${original}\n`}Final-Recipient: ${about}
Action: ${action}
Status: ${status}
Remote-MTA: dns; mail.example.org
Diagnostic-Code: ${diagnostic}
 (folded on)
`,
  );

/** About several recipients, of whom one failed for good (E.2). */
export const dsnOfSeveral = (to: string) =>
  statusReport(
    to,
    `Reporting-MTA: dns; relay.example

Original-Recipient: rfc822;one@example.org
Final-Recipient: rfc822;one@example.org
Action: relayed
Status: 2.0.0

Original-Recipient: rfc822;two@example.org
Final-Recipient: rfc822;two@example.org
Action: delayed
Status: 4.0.0 (unknown temporary failure)

Original-Recipient: rfc822;three@example.org
Final-Recipient: rfc822;three@example.org
Action: failed
Status: 5.1.1 (unknown user)
Diagnostic-Code: smtp; 550 User unknown
`,
  );

/** From a gateway to a system that has other addresses and reasons of its own (E.3). */
export const dsnOfGateway = (to: string) =>
  statusReport(
    to,
    `Reporting-MTA: mailbus; SYS30

Final-Recipient: unknown; somebody
Status: 5.0.0 (unknown permanent failure)
Action: failed
Diagnostic-Code: mailbus; No route to host
`,
  );

/** That delivery takes longer (E.4): nothing has failed. */
export const dsnOfDelay = (to: string) => dsn(to, { action: 'delayed', status: '4.4.1', diagnostic: 'smtp; 426 connection timed out' });

/** @param about the mail it is about */
export const abuse = (about: string, type = 'abuse') =>
  crlf(`From: <abusedesk@provider.example>
To: <abuse@campaign.localhost>
Subject: FW: Earn money
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="part1_13d.2e68ed54_boundary"

--part1_13d.2e68ed54_boundary
Content-Type: text/plain; charset="US-ASCII"

This is an email abuse report.

--part1_13d.2e68ed54_boundary
Content-Type: message/feedback-report

Feedback-Type: ${type}
User-Agent: SomeGenerator/1.0
Version: 1

--part1_13d.2e68ed54_boundary
Content-Type: message/rfc822

${about}
--part1_13d.2e68ed54_boundary--
`);
