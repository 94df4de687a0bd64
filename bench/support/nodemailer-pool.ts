import { Liquid } from 'liquidjs';
import nodemailer from 'nodemailer';
import { createPool } from '../../db/pool.ts';
import { newsletter } from './newsletter.ts';

// The other side of the comparison, as a process of its own: the same people and templates through nodemailer's pool, no record kept of anything.
// Arguments: database, relay, connections, how many people at most. Prints one JSON object: mails, seconds, and its own processor time.

const [databaseUrl, relayUrl, connections, most] = process.argv.slice(2) as [string, string, string, string];
const pool = createPool(databaseUrl, 1);
const { hostname, port } = new URL(relayUrl);
const transport = nodemailer.createTransport({
  pool: true,
  host: hostname,
  port: Number(port),
  maxConnections: Number(connections),
  maxMessages: Number.POSITIVE_INFINITY,
  ignoreTLS: true,
});
const liquid = new Liquid({ outputEscape: 'escape' });
liquid.registerFilter('capfirst', (value: string) => (value ? value[0]?.toUpperCase() + value.slice(1) : ''));
const plain = new Liquid();
plain.registerFilter('capfirst', (value: string) => (value ? value[0]?.toUpperCase() + value.slice(1) : ''));
const subject = plain.parse(newsletter.subjects[0] as string);
const html = liquid.parse(newsletter.html);
// The product makes the text part from the HTML once per mailing; here it is given the same for free.
const text = plain.parse(newsletter.html.replace(/<[^>]*>/g, ' '));

const began = performance.now();
const cpu = process.cpuUsage();
let after = 0;
let mails = 0;
while (mails < Number(most)) {
  const { rows } = await pool.query(
    'select id as user_id, email, first_name, city, state from core_user where id > $1 order by id limit $2',
    [after, Math.min(2000, Number(most) - mails)],
  );
  if (!rows.length) break;
  after = rows.at(-1).user_id;
  await Promise.all(
    rows.map(async (user) => {
      const names = {
        user,
        akid: `1.${user.user_id}.xxxxxx`,
        unsubscribe_link: `https://campaign.example/unsubscribe/?akid=1.${user.user_id}.xxxxxx`,
      };
      await transport.sendMail({
        from: newsletter.from,
        to: user.email,
        envelope: { from: `bounce+1.${user.user_id}@campaign.example`, to: user.email },
        subject: plain.renderSync(subject, names),
        html: liquid.renderSync(html, names),
        text: plain.renderSync(text, names),
        headers: { 'List-Unsubscribe': `<${names.unsubscribe_link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
      });
      mails++;
    }),
  );
}
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ mails, seconds: (performance.now() - began) / 1000, cpuSeconds: (user + system) / 1e6 }));
transport.close();
await pool.end();
