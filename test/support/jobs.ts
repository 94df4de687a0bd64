import { equal } from 'node:assert/strict';
import type { TestApi } from './api.ts';
import { makeReady, READY } from './mailings.ts';

/** A kind of work whose run is asked how far it is. */
export type Polled = 'rebuild' | 'proofs' | 'progress' | 'merge' | 'upload' | 'report';

/**
 * Asks for a piece of work of each kind.
 * @param api with users 1 and 2, on a list
 * @returns where each is watched
 */
export async function beginJobs(api: TestApi): Promise<Record<Polled, string>> {
  const post = async (path: string, body: object = {}, headers?: Record<string, string>) => {
    const answer = await api.call('POST', path, body, headers);
    equal(answer.statusCode, 201, answer.body);
    return String(answer.headers.location).replace(api.env.BASE_URL, '');
  };
  const page = await api.create('importpage', { name: 'import' });
  const part = (name: string, more: string, text: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`;
  const file = part('page', '', page) + part('upload', '; filename="a.csv"', 'email\nnew@example.org\n');
  await api.create('queryreport', { name: 'Slow', short_name: 'slow', sql: 'select count(*) as n from core_tag' });
  return {
    rebuild: await post(`${await api.create('mailer', READY)}rebuild/`),
    proofs: await post(`${await makeReady(api)}proofs/`, { proofs: 1, reviewers: ['reviewer@example.org'] }),
    progress: await post(`${await makeReady(api)}queue/`),
    merge: await post('/rest/v1/usermerge/', { primary_user: 1, users: [2], address_user: 1, source_user: 1 }),
    upload: await post('/rest/v1/upload/', Buffer.from(`${file}--b--\r\n`), { 'content-type': 'multipart/form-data; boundary=b' }),
    report: await post('/rest/v1/report/background/slow/'),
  };
}
