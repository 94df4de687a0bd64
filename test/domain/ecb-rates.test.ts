import assert from 'node:assert/strict';
import { readEcbRates } from '../../domain/ecb-rates.ts';

export const ECB = (days: string) => `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject>
  <gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
  <Cube>${days}</Cube>
</gesmes:Envelope>`;

const day = (time: string, rates: string) => `<Cube time='${time}'>${rates}</Cube>`;

describe('rates of the European Central Bank', () => {
  it('are units for one euro, kept as text', () => {
    const xml = ECB(day('2026-11-20', `<Cube currency='USD' rate='1.0800'/><Cube currency='JPY' rate='162.35'/>`));
    assert.deepEqual(readEcbRates(xml), { day: '2026-11-20', rates: { USD: '1.0800', JPY: '162.35' } });
  });

  it('of many days are those of the newest', () => {
    const xml = ECB(day('2026-11-19', `<Cube currency='USD' rate='1.07'/>`) + day('2026-11-20', `<Cube currency='USD' rate='1.08'/>`));
    assert.equal(readEcbRates(xml).rates['USD'], '1.08');
  });

  it('are refused when they cannot be used', () => {
    for (const xml of ['', 'rates', '<html></html>', ECB(''), ECB(day('yesterday', ''))])
      assert.throws(() => readEcbRates(xml), /no day|Envelope|XML|Cube/i, xml);
    assert.throws(() => readEcbRates(ECB(day('2026-11-20', `<Cube currency='JPY' rate='1'/>`))), /US dollar/);
    for (const rate of ['0.00', '-1', '1e3', 'NaN', '']) {
      assert.throws(() => readEcbRates(ECB(day('2026-11-20', `<Cube currency='USD' rate='${rate}'/>`))), /cannot be used/);
    }
  });
});
