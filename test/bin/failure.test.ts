import { equal } from 'node:assert/strict';
import { plainWords } from '../../bin/failure.ts';

describe('a failure in plain words', () => {
  it('names the setting where none of the addresses of a host answers', () => {
    const refused = (address: string) =>
      Object.assign(new Error(`connect ECONNREFUSED ${address}`), { code: 'ECONNREFUSED', syscall: 'connect' });
    const url = process.env['DATABASE_URL'];
    process.env['DATABASE_URL'] = 'postgresql://me:secret@localhost:5432/db';
    try {
      const words = plainWords(
        Object.assign(new AggregateError([refused('::1:5432'), refused('127.0.0.1:5432')]), { code: 'ECONNREFUSED' }),
      );
      equal(words, 'DATABASE_URL: no PostgreSQL answers at localhost:5432: nothing listens there');
    } finally {
      if (url === undefined) delete process.env['DATABASE_URL'];
      else process.env['DATABASE_URL'] = url;
    }
  });

  it('names the setting of a host that is to be listened at, and not the database, where there is no such host', () => {
    const unknown = (hostname: string) =>
      Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname });
    const { DATABASE_URL: url, HOST: host } = process.env;
    Object.assign(process.env, { DATABASE_URL: 'postgresql://me:secret@database:5432/db', HOST: 'nowhere.invalid' });
    try {
      equal(plainWords(unknown('nowhere.invalid')), 'HOST: nowhere.invalid cannot be listened at: there is no such host');
      equal(plainWords(unknown('database')), 'DATABASE_URL: no PostgreSQL answers at database:5432: there is no such host');
    } finally {
      for (const [name, value] of Object.entries({ DATABASE_URL: url, HOST: host }))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    }
  });

  it('writes an address of IPv6 in brackets, so that its port can be told', () => {
    const taken = { code: 'EADDRINUSE', syscall: 'listen', address: '::1', port: 9 };
    equal(plainWords(Object.assign(new Error('in use'), taken)), '[::1]:9 is taken by another program');
  });
});
