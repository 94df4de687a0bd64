import type { Sql } from '../../db/sql.ts';
import type { Rates } from '../../domain/money.ts';

/** The stored rates of a currency and of the dollar; null for US dollars themselves, undefined when one of them is not stored. */
export async function findRates(sql: Sql, currency: string): Promise<Rates | null | undefined> {
  if (currency === 'USD') return null;
  const rows = await sql<{ iso_code: string; per_euro: string }>(
    'select iso_code, per_euro::text from core_currency where iso_code = any($1::text[])',
    [[currency, 'USD']],
  );
  // All rates are to the euro.
  const rates = new Map([['EUR', '1'], ...rows.map(({ iso_code, per_euro }) => [iso_code, per_euro] as [string, string])]);
  const [own, dollar] = [rates.get(currency), rates.get('USD')];
  return own && dollar ? { currency: own, dollar } : undefined;
}

/** Puts rates in place of the stored ones. @param rates units for one euro, as decimal texts, by ISO code */
export async function saveRates(sql: Sql, day: string, rates: Record<string, string>): Promise<void> {
  await sql(
    `insert into core_currency (iso_code, per_euro, rate_date)
     select code, rate, $3::date from unnest($1::text[], $2::numeric[]) as given (code, rate)
     on conflict (iso_code) do update set per_euro = excluded.per_euro, rate_date = excluded.rate_date, updated_at = now()`,
    [Object.keys(rates), Object.values(rates), day],
  );
}
