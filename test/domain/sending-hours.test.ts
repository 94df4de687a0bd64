import assert from 'node:assert/strict';
import { readAllowList } from '../../domain/allow-list.ts';
import { hoursAt, readSendingHours } from '../../domain/sending-hours.ts';

const HOUR = 3_600_000;

describe('sending hours', () => {
  const at = (hours: string, zone: string, time: string) => {
    const found = hoursAt(readSendingHours(hours, zone)!, Date.parse(time));
    return found.open ? `for ${found.closesInMs / HOUR}` : `from ${new Date(found.opensAt).toISOString()}`;
  };

  it('are those of their time zone', () => {
    assert.equal(at('09:00-20:30', 'UTC', '2026-03-02T09:00:00Z'), 'for 11.5');
    assert.equal(at('09:00-20:30', 'UTC', '2026-03-02T20:30:00Z'), 'from 2026-03-03T09:00:00.000Z');
    assert.equal(at('09:00-20:30', 'America/New_York', '2026-03-02T09:00:00Z'), 'from 2026-03-02T14:00:00.000Z');
    assert.equal(at('09:00-20:30', 'Asia/Kolkata', '2026-03-02T03:30:00.250Z'), `for ${11.5 - 0.25 / 3600}`);
  });

  it('may go over midnight', () => {
    assert.equal(at('22:00-06:00', 'UTC', '2026-03-02T23:00:00Z'), 'for 7');
    assert.equal(at('22:00-06:00', 'UTC', '2026-03-02T05:00:00Z'), 'for 1');
    assert.equal(at('22:00-06:00', 'UTC', '2026-03-02T06:00:00Z'), 'from 2026-03-02T22:00:00.000Z');
  });

  it('begin by the clock on the wall when clocks are changed in between', () => {
    assert.equal(at('09:00-20:00', 'America/New_York', '2026-03-08T02:00:00Z'), 'from 2026-03-08T13:00:00.000Z');
    assert.equal(at('09:00-20:00', 'America/New_York', '2026-11-01T02:00:00Z'), 'from 2026-11-01T14:00:00.000Z');
    // Half past two is left out that night.
    assert.equal(at('02:30-20:00', 'America/New_York', '2026-03-08T06:00:00Z'), 'from 2026-03-08T07:30:00.000Z');
  });

  it('are around the clock where none are given, or two that are equal', () => {
    assert.equal(readSendingHours(undefined, 'UTC'), null);
    assert.equal(readSendingHours('08:00-08:00', 'UTC'), null);
  });
});

describe('the allow-list', () => {
  it('knows addresses and whole domains, whatever their case, and nothing else', () => {
    const allows = readAllowList('Ann@example.org, @Example.net ,test.example');
    for (const address of ['ann@EXAMPLE.org', 'x@example.net', 'y@test.example']) assert.ok(allows(address), address);
    for (const address of ['bob@example.org', 'x@sub.example.net', 'x@example.net.evil', 'ann@example.orgx', 'example.net', '']) {
      assert.ok(!allows(address), address);
    }
    // Mailings ask by the address as it is stored, the relay by the one it is handed over with.
    for (const list of ['bücher.example, ann@käse.example', 'xn--bcher-kva.example, ann@xn--kse-qla.example'])
      for (const address of ['x@Bücher.example', 'x@xn--bcher-kva.example', 'ann@käse.example', 'ann@xn--kse-qla.example'])
        assert.ok(readAllowList(list)(address), `${list}: ${address}`);
    assert.ok(readAllowList(undefined)('anybody@anywhere.example'));
  });
});
