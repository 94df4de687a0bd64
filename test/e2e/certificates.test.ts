import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lookAtTemporal } from '../../api/health/temporal.ts';
import { readEnv } from '../../config/env.ts';
import { makeAuthority, makeCertificate } from '../../embedded/certificate.ts';
import type { Child } from '../../embedded/child.ts';
import { freePort } from '../../embedded/ports.ts';
import { startPostgres } from '../../embedded/postgres.ts';
import { runProgram, startApiProcess, startWorkerProcess } from '../../embedded/programs.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { ApiClient } from '../../tools/demo/client.ts';
import { loadCrowd } from '../../tools/demo/crowd.ts';
import { dataFolder } from '../support/data-folder.ts';
import { certificateFiles, mutualTlsTo } from '../support/encrypted.ts';
import { atEnd } from '../support/endings.ts';
import { readyMailing } from '../support/replicated-platform.ts';
import { createNamespace } from '../support/temporal.ts';

const PEOPLE = 400;
const GOOD_FOR_S = 3600;
/** Longer than it takes until it is read. */
const SHORT_S = 12;
/** Less than a tenth of a certificate's life. */
const LATE_S = 6;
const PROCESSES = ['api', 'worker-1'];
const WITHIN_MS = 60_000;

interface Told {
  finished: boolean;
  status: string;
  progress: number;
}

describe('a certificate for Temporal that runs out while the platform runs', () => {
  const authority = makeAuthority();
  const folder = dataFolder();
  const logFolder = dataFolder();
  let door: Awaited<ReturnType<typeof mutualTlsTo>>;
  let env: Record<string, string | undefined>;
  let url: string;
  let api: ApiClient;
  let parts: Child[];
  /** Where Temporal is asked in clear. */
  let inside: string;

  /** Puts another certificate into the files that the settings name. */
  const give = (seconds: number) => certificateFiles(folder, makeCertificate({ authority, seconds }));
  const log = (name: string) => readFileSync(join(logFolder, `${name}.log`), 'utf8');
  const until = async (what: string, holds: () => boolean | Promise<boolean>) => {
    for (const giveUp = Date.now() + WITHIN_MS; !(await holds()); await sleep(50))
      assert.ok(Date.now() < giveUp, `not within a minute: ${what}`);
  };
  const workflows = async () => ((await (await fetch(`${url}/health/ready`)).json()) as { workflows: string }).workflows;

  before(async () => {
    const sink = await startSmtpSink({ keep: 0 });
    const postgres = await startPostgres({ dataDir: dataFolder() });
    const { address, namespace } = await createNamespace();
    inside = address;
    const [server, client] = [certificateFiles(), give(GOOD_FOR_S)];
    door = await mutualTlsTo(address, server, authority);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    env = {
      ...process.env,
      PORT: String(port),
      BASE_URL: url,
      DATA_DIR: dataFolder(),
      DATABASE_URL: postgres.url,
      TEMPORAL_ADDRESS: door.address,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: server.certFile,
      TEMPORAL_TLS_CLIENT_CERT_PATH: client.certFile,
      TEMPORAL_TLS_CLIENT_KEY_PATH: client.keyFile,
      TEMPORAL_NAMESPACE: namespace,
      SMTP_URL: sink.url,
    };
    await runProgram('migrate', { logFolder, env });
    parts = [await startApiProcess({ logFolder, env }, url), await startWorkerProcess({ logFolder, env }, 1)];
    api = new ApiClient(url, 'admin', 'admin-password');
    await api.write('POST', '/rest/v1/list/', { name: 'Everybody' });
    await loadCrowd(postgres.url, PEOPLE, 1, ['CA'], () => {});
    atEnd(async () => {
      await Promise.all(parts.map((part) => part.stop()));
      door.close();
      await postgres.stop();
      await sink.close();
    });
  });

  it('is named by every process, keeps new connections away, and the send goes on when there is another', async () => {
    const mailing = await readyMailing(api, { mails_per_second: 40 });
    await api.write('POST', `${mailing}queue/`);
    await until('sending', async () => (await api.read<Told>(`${mailing}progress/`)).progress > 0);

    const { certFile } = give(SHORT_S);
    for (const name of PROCESSES) await until(`${name} has read it`, () => log(name).includes('were read again'));
    for (const name of PROCESSES) {
      await until(`${name} says which`, () =>
        log(name).includes(`TEMPORAL_TLS_CLIENT_CERT_PATH: the certificate in ${certFile} ran out at`),
      );
    }
    door.turnOut();
    await until('the API has lost Temporal', async () => (await workflows()) === 'away');
    await assert.rejects(
      runProgram('migrate', { logFolder: dataFolder(), env }),
      /TEMPORAL_TLS_CLIENT_CERT_PATH: the certificate in .* ran out at/,
    );

    give(GOOD_FOR_S);
    await until('the API has found Temporal again', async () => (await workflows()) === 'ok');
    const told = await api.poll<Told>(`${mailing}progress/`, 200);
    assert.deepEqual([told.status, told.progress], ['completed', PEOPLE]);
  });

  it('is found by doctor while it is late, and so is one of Temporal that has run out', async () => {
    const found = async (more: object) => (await lookAtTemporal(readEnv({ ...env, ...more }))).filter(({ part }) => part === 'temporal');
    const late = certificateFiles(dataFolder(), makeCertificate({ authority, seconds: 5 }));
    const [, said] = await found({ TEMPORAL_TLS_CLIENT_CERT_PATH: late.certFile, TEMPORAL_TLS_CLIENT_KEY_PATH: late.keyFile });
    assert.match(said!.says, /runs out at/);
    const old = certificateFiles(dataFolder(), makeCertificate({ seconds: -1 }));
    const oldDoor = await mutualTlsTo(door.address, old, authority);
    const [theirs] = await found({ TEMPORAL_ADDRESS: oldDoor.address, TEMPORAL_TLS_SERVER_CA_CERT_PATH: old.certFile });
    assert.match(theirs!.says, /its certificate ran out at \d{4}-/);
    oldDoor.close();
  });

  it('is named where it is Temporal’s own, by readiness and in the logs', async () => {
    const server = certificateFiles(dataFolder(), makeCertificate({ authority, seconds: LATE_S }));
    const authorityFile = certificateFiles(dataFolder(), authority).certFile;
    const late = await mutualTlsTo(inside, server, authority);
    const port = await freePort();
    const later = { ...env, PORT: String(port), TEMPORAL_ADDRESS: late.address, TEMPORAL_TLS_SERVER_CA_CERT_PATH: authorityFile };
    const folder = dataFolder();
    const said = (name: string) => readFileSync(join(folder, `${name}.log`), 'utf8');
    const started = await Promise.all([
      startApiProcess({ logFolder: folder, env: later }, `http://127.0.0.1:${port}`),
      startWorkerProcess({ logFolder: folder, env: later }, 1),
    ]);
    for (const name of PROCESSES) await until(`${name} warns`, () => said(name).includes(`shows at ${late.address} r`));
    await sleep(LATE_S * 1000);
    late.turnOut();
    const ready = async () => (await (await fetch(`http://127.0.0.1:${port}/health/ready`)).json()) as { workflows: string; why?: string };
    await until('away', async () => (await ready()).workflows === 'away');
    assert.match((await ready()).why!, /^the certificate that Temporal shows ran out at \d{4}-/);
    const another = await startWorkerProcess({ logFolder: folder, env: later }, 2);
    await until('a worker that starts says it', () => said('worker-2').includes(`shows at ${late.address} ran out at`));
    await Promise.all([...started, another].map((part) => part.stop()));
    late.close();
  });
});
