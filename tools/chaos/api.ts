import { setTimeout as sleep } from 'node:timers/promises';
import { longestStopSeconds } from '../../workflows/silence.ts';
import { LEASE_SECONDS } from './stage.ts';

/** For a machine with far more to do than it can. */
const BUSY_SECONDS = 5;
/** An API that was killed is begun anew at once, and loads all its modules, which takes a machine that does much else a minute. */
const ANSWERED_MINUTES = 3;
/** The longest it can take by the platform's own time limits (docs/sending-guarantees.md#how-long-a-stop-takes). */
const STOPPED_MS = 1000 * (longestStopSeconds(LEASE_SECONDS) + BUSY_SECONDS);

/** The API as an impatient client uses it that asks again until it has an answer. */
export class ChaosApi {
  readonly #baseUrl: string;
  /** Answers no trouble excuses: an internal error, say. */
  readonly wrongs: string[] = [];
  /** How often stop was asked for: as often a mailing may be found stopped. */
  stopsAsked = 0;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  async stop(mailingId: number): Promise<void> {
    // 400: an earlier request has stopped it, or it is over.
    await this.#until('POST', `/rest/v1/mailer/${mailingId}/stop/`, [202, 400], () => this.stopsAsked++);
  }

  /** What was to stop does, or is over before; when it does not do so in time, that is wrong. */
  async hasStopped(mailingId: number): Promise<void> {
    for (const end = Date.now() + STOPPED_MS; Date.now() < end; await sleep(50)) {
      const { status, errors } = await this.progress(mailingId);
      if (status === 'died') this.wrongs.push(`it was asked to stop, and died: ${errors}`);
      if (status !== 'sending' && status !== 'queued') return;
    }
    this.wrongs.push(`it was asked to stop, and goes on after ${STOPPED_MS / 1000} s`);
  }

  /** Until it is under way, or over. */
  async queue(mailingId: number): Promise<void> {
    for (;;) {
      await this.#until('POST', `/rest/v1/mailer/${mailingId}/queue/`, [201, 400]);
      const { status } = await this.progress(mailingId);
      if (status !== 'stopped' && status !== 'draft') return;
      await sleep(50);
    }
  }

  async progress(mailingId: number): Promise<Record<string, unknown>> {
    return (await this.#until('GET', `/rest/v1/mailer/${mailingId}/progress/`, [200])) as Record<string, unknown>;
  }

  /** The users listed as uncertain, page by page. */
  async uncertain(mailingId: number): Promise<number[]> {
    const users: number[] = [];
    for (let next: string | null = `/rest/v1/mailer/${mailingId}/uncertain/?_limit=100`; next; ) {
      const page = (await this.#until('GET', next, [200])) as { meta: { next: string | null }; objects: { user: string }[] };
      users.push(...page.objects.map(({ user }) => Number(user.split('/').at(-2))));
      next = page.meta.next;
    }
    return users;
  }

  /** Looks at the progress over and over, as clients do, until `end` is aborted: what was accepted must never become less. */
  async watch(mailingId: number, end: AbortSignal): Promise<void> {
    let accepted = 0;
    while (!end.aborted) {
      const answer = await this.#ask('GET', `/rest/v1/mailer/${mailingId}/progress/`);
      if (answer?.status === 200 && !end.aborted) {
        const { progress } = answer.body as { progress: number };
        if (progress < accepted) this.wrongs.push(`progress went from ${accepted} back to ${progress}`);
        accepted = progress;
      }
      await sleep(150);
    }
  }

  async #until(method: string, path: string, wanted: number[], asked = () => {}): Promise<unknown> {
    let last = 'nothing';
    for (const end = Date.now() + ANSWERED_MINUTES * 60_000; Date.now() < end; await sleep(100)) {
      asked();
      const answer = await this.#ask(method, path);
      if (answer && wanted.includes(answer.status)) return answer.body;
      if (answer) last = `${answer.status}: ${JSON.stringify(answer.body)}`;
    }
    throw new Error(`${method} ${path} was answered with ${last} for ${ANSWERED_MINUTES} minutes`);
  }

  /** Null when nothing came, or not in time. */
  async #ask(method: string, path: string): Promise<{ status: number; body: unknown } | null> {
    try {
      const authorization = `Basic ${Buffer.from('admin:admin-password').toString('base64')}`;
      const answer = await fetch(this.#baseUrl + path, { method, headers: { authorization }, signal: AbortSignal.timeout(2_000) });
      const text = await answer.text();
      if (answer.status >= 500 && answer.status !== 503) this.wrongs.push(`${method} ${path} was answered with ${answer.status}`);
      return { status: answer.status, body: text ? JSON.parse(text) : null };
    } catch {
      return null;
    }
  }
}
