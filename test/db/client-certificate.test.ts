import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newConnection } from '../../db/driver.ts';
import { createPool } from '../../db/pool.ts';
import { makeAuthority, makeCertificate } from '../../embedded/certificate.ts';
import { startPostgres } from '../../embedded/postgres.ts';
import { connectOrm } from '../../entities/orm.ts';
import { dataFolder } from '../support/data-folder.ts';
import { certificateFiles } from '../support/encrypted.ts';
import { atEnd } from '../support/endings.ts';

describe('a PostgreSQL that asks for a certificate', () => {
  const authority = makeAuthority();
  const authorityFile = certificateFiles(dataFolder(), authority).certFile;
  let url: string;

  before(async () => {
    const dataDir = dataFolder();
    const parameters = { ssl_ca_file: authorityFile };
    const postgres = await startPostgres({ dataDir, parameters, tls: { ...makeCertificate({ authority }), authorityFile } });
    atEnd(() => postgres.stop());
    url = postgres.url;
    const superuser = newConnection(url.replace('//campaign:', '//postgres:'));
    await superuser.connect();
    writeFileSync(join(dataDir, 'postgres/data/pg_hba.conf'), 'hostssl all all all scram-sha-256 clientcert=verify-ca\n');
    await superuser.query('select pg_reload_conf()');
    await superuser.end();
  });

  const shown = (certificate = makeCertificate({ authority })) => {
    const { certFile, keyFile } = certificateFiles(dataFolder(), certificate);
    return `${url}&sslcert=${certFile}&sslkey=${keyFile}`;
  };

  it('is shown the one that the address names, by pools, the ORM and single connections', async () => {
    const address = shown();
    const pool = createPool(address, 1);
    const orm = await connectOrm({ DATABASE_URL: address, DATABASE_POOL: 1 });
    const single = newConnection(address);
    await single.connect();
    const statement = `select client_dn like '%CN=localhost%' as shown from pg_stat_ssl where pid = pg_backend_pid()`;
    const answers = [(await pool.query(statement)).rows, await orm.em.execute(statement), (await single.query(statement)).rows];
    await Promise.all([pool.end(), orm.close(true), single.end()]);
    assert.deepEqual(answers, Array(3).fill([{ shown: true }]));
  });

  it('refuses who shows none, or one that somebody else has signed', async () => {
    for (const address of [url, shown(makeCertificate())]) {
      const connection = newConnection(address);
      connection.on('error', () => {});
      await assert.rejects(connection.connect());
    }
  });
});
