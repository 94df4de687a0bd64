// Statements that are short and ask for much. Each ends by itself, is refused, or is ended; none may take the server's memory.

const times = (count: number, text: (n: number) => string): string => Array.from({ length: count }, (_, n) => text(n)).join('');
const nested = (levels: number, begin: string, around: (inner: string, n: number) => string): string => {
  let text = begin;
  for (let n = 0; n < levels; n++) text = around(text, n);
  return text;
};
const cross = (count: number, item: (n: number) => string) =>
  `select 1 from (values (1)) v${times(count, (n) => ` cross join ${item(n)}`)}`;

/** Given row by row, where a function in FROM would first write all of them to a file. */
const series = (count: number): string => `(select generate_series(1, ${count}) as g) s`;

/** Memory of the planner. */
const PLANS = [
  cross(400, (n) => `(values (1)) v${n}`),
  cross(3000, (n) => `(values (1)) v${n}`),
  cross(49, (n) => `(values (1)) v${n}`),
  cross(49, (n) => `core_user u${n}`),
  cross(300, (n) => `(select 1) v${n}`),
  cross(300, (n) => `generate_series(1, 2) g${n}`),
  `select count(*) from core_user u${times(49, (n) => ` join core_user u${n} on u${n}.id = u.id`)}`,
  `select count(*) from core_user u${times(400, (n) => ` left join core_user u${n} on u${n}.id = u.id`)}`,
  `select count(*) from core_usermailing u${times(49, (n) => ` join core_usermailing u${n} using (user_id, mailing_id)`)}`,
  `select * from core_user a${times(49, (n) => ` natural join core_user u${n}`)}`,
  `select * from core_user a${times(3, (n) => ` natural join core_user u${n}`)}`,
  `select 1 from core_user a${times(49, (n) => ` join core_user u${n} using (id, email, zip, city, state, country, first_name, last_name)`)}`,
  `select 1 from core_user a where true${times(200, (n) => ` and exists (select from core_user u${n} where u${n}.id = a.id)`)}`,
  `select 1${times(20_000, () => ' union select 1')}`.slice(0, 90_000),
  `select 1${times(99, (n) => ` union select id from core_user where id = ${n}`)}`,
  `select count(*) from core_user where id = 1${times(9000, (n) => ` or id=${n}`)}`,
  `select count(*) from core_user where false${times(2500, (n) => ` or (id=${n} and zip='${n}')`)}`,
  `select count(*) from core_user where id in (0${times(20_000, () => ',1')})`,
  nested(30, 'select email as x from core_user', (inner, n) => `select x || x as x from (${inner}) s${n}`),
  `with ${times(40, (n) => `c${n} as (select ${times(9, (k) => `${k ? ' || ' : ''}x`)} as x from ${n ? `c${n - 1}` : `(select email as x from core_user) u`})${n < 39 ? ', ' : ''}`)} select x from c39`,
  `with ${times(9, (n) => `c${n} as not materialized (select 1 from ${n ? `c${n - 1} a, c${n - 1} b, c${n - 1} c` : 'core_user'})${n < 8 ? ', ' : ''}`)} select 1 from c8`,
  `select ${nested(20, 'true', (inner) => `(${inner} between symmetric true and false)`)}`,
  `select ${nested(150, 'id', (inner) => `coalesce(${inner}, ${'id'})`)} from core_user`,
  `select s::text from core_user, lateral (select ${times(500, (n) => `${n ? ',' : ''}email as c${n}`)}) s`,
  `select 1 from core_user${times(40, (n) => `, lateral (values (${n ? `s${n - 1}.x || s${n - 1}.x` : 'email'})) s${n}(x)`)}`,
  `select ${nested(5000, '1', (inner) => `(${inner})`)}`,
  `select 1${times(40_000, () => '+1')}`,
  `select ${times(40_000, () => '- ')}1`,
  `select ${nested(2000, '1', (inner) => `case when true then ${inner} end`)}`,
  `select count(*) from generate_series(1, 2000) a group by cube(${times(12, (n) => `${n ? ',' : ''}a+${n}`)})`,
  `select ${times(1600, (n) => `${n ? ',' : ''}count(distinct g+${n})`)} from generate_series(1, 1000000) g`,
  `select ${times(500, (n) => `${n ? ',' : ''}sum(g) over (order by g+${n})`)} from generate_series(1, 1000000) g`,
  `select ${times(30, (n) => `${n ? ',' : ''}count(distinct g+${n})`)} from generate_series(1, 300000) g`,
];

/** One value out of little. */
const VALUES = [
  `select repeat('x', 1000000000)`,
  `select repeat('x', (10 ^ 9)::int)`,
  `select length(repeat(repeat('x', 30000), 30000))`,
  `select lpad('x', 1000000000)`,
  `select rpad('x', 500000000 * 2)`,
  `select format('%900000000s', 'x')`,
  `select format('%*s', 900000000, 'x')`,
  `select length(replace(repeat('x', 100000), 'x', repeat('y', 9000)))`,
  `select length(regexp_replace(repeat('x', 100000), 'x', repeat('y', 9000), 'g'))`,
  `select array_fill(0, array[100000000])`,
  `select array_fill(0, array[(10 ^ 8)::int])`,
  `select array_agg(g) from ${series(20000000)}`,
  `select array_agg(repeat('x', 1000)) from ${series(20000000)}`,
  `select array_length(array(select g from generate_series(1, 100000000) g), 1)`,
  `select string_agg(g::text, ',') from ${series(90000000)}`,
  `select string_agg(repeat('x', 10000), '') from ${series(90000)}`,
  `select json_agg(g) from ${series(90000000)}`,
  `select jsonb_agg(g) from ${series(30000000)}`,
  `select jsonb_object_agg(g, g) from ${series(30000000)}`,
  `select json_object_agg(g, g) from ${series(60000000)}`,
  `select xmlagg(xmlelement(name x, g)) from generate_series(1, 30000000) g`,
  `select range_agg(int4range(g * 2, g * 2 + 1)) from ${series(30000000)}`,
  `select string_agg(repeat('x', 1000)::bytea, ''::bytea) from ${series(1000000)}`,
  `select length(encode(convert_to(repeat('x', 1000000) || repeat('x', 1000000), 'UTF8') || decode(repeat('00', 1000000), 'hex'), 'escape'))`,
  `select length(quote_literal(repeat('''', 1000000) || repeat('''', 1000000)))`,
  `select to_tsvector(string_agg('w' || g, ' ')) from ${series(3000000)}`,
  `select count(*) from unnest(string_to_array(repeat('x,', 1000000) || repeat('y,', 1000000), ',')) u`,
  `select count(*) from regexp_split_to_table(repeat('ab', 1000000), 'a') u`,
  `select length((10::numeric ^ 100000)::text), (9::numeric ^ 130000)::text`,
  `select length(factorial(30000)::text)`,
  `select exp(5000::numeric), sqrt(repeat('9', 100000)::numeric), ln(repeat('9', 100000)::numeric)`,
  `select to_char(g, repeat('9', 1000000)) from generate_series(1, 1000) g`,
  `with recursive d as (select 'x' as t union all select t || t from d where length(t) < 900000000) select max(length(t)) from d`,
  `with recursive d as (select array[1] as a union all select a || a from d where cardinality(a) < 200000000) select max(cardinality(a)) from d`,
  `select ${times(200, (n) => `${n ? ',' : ''}repeat('x', 900000)`)}`,
  `select concat(${times(300, (n) => `${n ? ',' : ''}repeat('x', 900000 + g)`)}) from generate_series(1, 3) g`,
];

/** Many rows, and what is kept of them. */
const ROWS = [
  `with recursive x as (select 1::bigint as n union select n + 1 from x) select count(*) from x`,
  `with recursive x as (select 1::bigint as n union all select n + 1 from x) select count(distinct n) from x`,
  `with recursive x as (select 1 as n union all select n + 1 from x, generate_series(1, 1000)) select count(*) from x`,
  `select count(*) from generate_series(1, 10000000) a join generate_series(1, 10000000) b on a % 1 = b % 1`,
  `select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b, generate_series(1, 100000) c`,
  `select a, count(*) from generate_series(1, 100000000) a group by a`,
  `select count(*) from (select distinct a || 'x' from generate_series(1, 50000000) a) s`,
  `select count(*) from (select a from generate_series(1, 50000000) a intersect select b from generate_series(1, 50000000) b) s`,
  `select count(*) from generate_series(1, 1000000) a where a not in (select (random() * 1e9)::int from generate_series(1, 30000000))`,
  `select percentile_cont(0.5) within group (order by a) from generate_series(1, 50000000) a`,
  `select mode() within group (order by md5(a::text)) from generate_series(1, 20000000) a`,
  `select a, lag(a, 1000000) over (order by md5(a::text)) from generate_series(1, 20000000) a order by 2 limit 1`,
  `select count(*) from generate_series(1, 1000000000000) a`,
  `select count(*) from (select generate_series(1, 1000000000000) offset 0) a`,
  `select generate_series(1, 100), repeat('x', 1000000) from generate_series(1, 100)`,
  `select g, repeat('x', 900000) || repeat('y', 900000) from generate_series(1, 1000000) g`,
  `select max(md5(md5(md5(a::text)))) from generate_series(1, 1000000000) a`,
  `select repeat('a', 30) || '!' ~ '^(([a-z])+.)+[A-Z]([a-z])+$'`,
  `select count(*) from generate_series(1, 10000) g where repeat('a', 5000) ~ '(a*)*(a*)*(a*)*b'`,
  `select 'x' ~ repeat('(a{1,200}){1,200}', 20)`,
  `select count(*) from generate_series(timestamp '0001-01-01', timestamp '9999-01-01', interval '1 microsecond') g`,
  `select jsonb_path_query_array((select jsonb_agg(g) from generate_series(1, 1000000) g), '$[*] ? (@ > 1)')`,
  `select pg_sleep(60)`,
  `select pg_sleep_for('1 minute')`,
  `select pg_sleep_until(now() + interval '1 minute')`,
  `select pg_advisory_lock(1), pg_notify('a', 'b')`,
];

/** What takes memory for as long as it is let, and nothing but that. */
export const GROWING = [
  `select array_agg(g) from ${series(100_000_000)}`,
  `select string_agg(repeat('x', 10000), '') from ${series(10_000_000)}`,
  `select array_agg(repeat('x', 10000)) from ${series(10_000_000)}`,
  `select jsonb_agg(repeat('x', 1000)) from ${series(10_000_000)}`,
  `with recursive d as (select 'x' as t union all select t || t from d where length(t) < 900000000) select max(length(t)) from d`,
];

export const BOMBS: string[] = [...PLANS, ...VALUES, ...ROWS];
