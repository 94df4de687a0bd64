import assert from 'node:assert/strict';
import { Big } from 'big.js';
import fc from 'fast-check';
import { asCents, asConverted, inDollars, readAmount, readConverted, share, sum } from '../../domain/money.ts';

describe('money', () => {
  it('reads decimals of at most two places', () => {
    for (const [text, shown] of Object.entries({
      '10.00': '10.00',
      '10': '10.00',
      '0.01': '0.01',
      '7.5': '7.50',
      '999999999999.99': '999999999999.99',
    })) {
      assert.equal(asCents(readAmount(text)), shown);
    }
  });

  it('refuses everything else', () => {
    for (const text of [
      '',
      ' ',
      '10.001',
      '-1.00',
      '+1',
      '1e3',
      '0x10',
      'NaN',
      'Infinity',
      '1,00',
      '$1',
      '1.',
      '.5',
      '0.00',
      '1000000000000.00',
      '1 ',
      '١',
    ]) {
      assert.throws(() => readAmount(text), { name: 'Error' }, text);
    }
  });

  it('takes a dollar amount with ten decimals', () => {
    assert.equal(asConverted(readConverted('1.0123456789')), '1.0123456789');
    assert.throws(() => readConverted('1.01234567891'));
  });

  it('adds up as cents do', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 1n, max: 99_999_999n }), { maxLength: 50 }), (cents) => {
        const texts = cents.map((each) => `${each / 100n}.${String(each % 100n).padStart(2, '0')}`);
        const total = cents.reduce((a, b) => a + b, 0n);
        assert.equal(asCents(sum(texts.map(readAmount))), `${total / 100n}.${String(total % 100n).padStart(2, '0')}`);
      }),
    );
  });

  it('converts over the euro, rounding half up once', () => {
    assert.equal(asConverted(inDollars(new Big('10.00'), null)), '10.0000000000');
    assert.equal(asConverted(inDollars(new Big('10.00'), { currency: '0.8', dollar: '1.1' })), '13.7500000000');
    // 1 * 1 / 3
    assert.equal(asConverted(inDollars(new Big('1'), { currency: '3', dollar: '1' })), '0.3333333333');
    assert.equal(asConverted(inDollars(new Big('2'), { currency: '3', dollar: '1' })), '0.6666666667');
  });

  it('converts as exact integers do', () => {
    const units = fc.bigInt({ min: 1n, max: 10n ** 9n });
    const currencies = fc.bigInt({ min: 10n ** 4n, max: 10n ** 12n });
    fc.assert(
      fc.property(units, currencies, units, (cents, currency, dollar) => {
        const text = (value: bigint, decimals: number) => new Big(value.toString()).times(new Big(10).pow(-decimals)).toFixed(decimals);
        const got = inDollars(new Big(text(cents, 2)), { currency: text(currency, 6), dollar: text(dollar, 6) });
        // cents/100 * dollar / currency, times 10^10, half up.
        const scaled = (2n * cents * dollar * 10n ** 8n + currency) / (2n * currency);
        assert.equal(asConverted(got).replace('.', ''), scaled.toString().padStart(11, '0'));
      }),
      { examples: [[1n, 30_000n, 1n]] },
    );
  });

  it('shares a converted total out', () => {
    assert.equal(asConverted(share(new Big('10'), new Big('1'), new Big('3'))), '3.3333333333');
  });
});
