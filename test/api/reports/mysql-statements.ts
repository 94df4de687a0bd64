// Statements in MySQL's dialect over the fixed data of mysql.test.ts, with the rows MySQL gives, worked out by hand.

export type Answer = [query: string, rows: unknown[][], parameters?: Record<string, unknown>];

export const ANSWERS: Answer[] = [
  // Texts, names, comments.
  [`select "it's", 'a\\'b', 'say "x"', "a""b" from dual`, [[`it's`, `a'b`, 'say "x"', 'a"b']]],
  [`SELECT \`first_name\` AS 'Name' FROM \`core_user\` WHERE id = 1 # the first`, [['Ann']]],
  [`select count(*) "how many" from core_user -- all\n`, [[4]]],
  [`select 'a' 'b' "c", 5--2`, [['abc', 7]]],
  [`select id from core_user /* all of\n them */ order by id limit 1, 2`, [[2], [3]]],
  [`select user.id from core_user user where user.id = 3`, [[3]]],
  [`select Count(*) from core_user use index (primary) where ID >= 2`, [[3]]],
  // Without regard to case and accents.
  [`select id from core_user where email = 'ANN@example.ORG'`, [[1]]],
  [`select id from core_user where first_name = 'dee'`, [[4]]],
  [`select id from core_user where email like '%EXAMPLE.org' and first_name like 'd%e' order by id`, [[4]]],
  [`select count(distinct state) from core_user where state <> ''`, [[2]]],
  [
    `select lower(state), count(*) from core_user where state in ('Ny', 'cA') group by state order by 2 desc`,
    [
      ['ny', 2],
      ['ca', 1],
    ],
  ],
  [`select count(*) from core_action a join core_action b on a.source = b.source and a.id < b.id`, [[4]]],
  [`select id from core_page where name = binary 'clean_water'`, []],
  [`select id from core_page where name collate utf8mb4_bin = 'Clean_Water'`, [[2]]],
  [`select name from core_page where name like 'clean\\_%' order by name`, [['clean_air'], ['Clean_Water']]],
  [`select date_format('2026-01-05', '%b') = 'jan', 'a' = 'A', 'é' = 'E'`, [[1, 1, 1]]],
  // Truth.
  [`select count(*) from core_page where hidden = 1`, [[1]]],
  [`select id from core_page where hidden = 0 order by id`, [[1], [3]]],
  [`select hidden, hidden + 1, not hidden from core_page where id = 2`, [[1, 2, 0]]],
  [`select sum(created_user), sum(source = 'web'), avg(created_user) from core_action`, [[3, 3, '0.4286']]],
  [`select 1 = 1, 2 > 3, null = null, 3 <=> null, null <=> null`, [[1, 0, null, 0, 1]]],
  [`select count(*) from core_action where created_user`, [[3]]],
  [`select count(*) from core_user where state`, [[0]]],
  [`select id from core_page where hidden in (0, 1) && !hidden || id = 2 order by id`, [[1], [2], [3]]],
  [`select id from core_page where hidden = 1 xor type = 'donation' order by id`, [[2], [3]]],
  [`select 1 xor 1, 1 xor 0 xor 1, null xor 1`, [[0, 0, null]]],
  [`select ifnull(hidden, 0), coalesce(null, hidden, 5) from core_page where id = 2`, [[1, 1]]],
  // Numbers.
  [`select 7/2, 1/3, 10/4*2, 5 div 2, -5 div 2, 7 % 4, 7 mod 4, mod(7, 4)`, [['3.5000', '0.3333', '5.0000', 2, -2, 3, 3, 3]]],
  [`select 1/0, 5 % 0, 5 div 0`, [[null, null, null]]],
  [`select 20 div 3 * 2, 20 div (3 * 2), 100 div 7 % 4`, [[12, 3, 2]]],
  [`select round(count(*) / 3 * 100, 1) from core_action`, [['233.3']]],
  [`select avg(id), avg(page_id) from core_action`, [['4.0000', '1.8571']]],
  [`select avg(total), sum(total) from core_order`, [['629.750000', '1259.50']]],
  [`select '3' = 3, '3' + 4, '12abc' + 1, 'abc' = 0`, [[1, 7, 13, 1]]],
  [`select parent_id from core_actionfield where name = 'age' and value > 30 order by parent_id`, [[1], [3]]],
  [`select sum(value), max(value + 0) from core_actionfield where name = 'age'`, [[163, 120]]],
  [
    `select format(1234567.891, 2), format(1234.5, 0), format(total, 2) from core_order where id = 2`,
    [['1,234,567.89', '1,235', '1,234.00']],
  ],
  [`select lpad(id, 5, '0'), rpad(id, 3, '-'), concat(id, '/', page_id) from core_action where id = 7`, [['00007', '7--', '7/2']]],
  [`select greatest(1, 5, 3), least(4, 2), greatest(1, null), round(2.5), truncate(1.999, 1)`, [[5, 2, null, '3', '1.9']]],
  [`select std(id), stddev(id), variance(id) from core_user`, [['1.1180339887498948', '1.1180339887498948', '1.2500000000000000']]],
  [`select log(1), log(2, 8), pow(2, 10), sqrt(16), abs(-3), floor(2.7), ceil(2.1), sign(-2)`, [[0, 3, 1024, 4, 3, '2', '3', -1]]],
  [
    `select cast('12.7' as signed), cast(2.5 as signed), cast('3.456' as decimal(10,2)), cast(5 as char), convert('7', unsigned)`,
    [[12, 3, '3.46', '5', 7]],
  ],
  // Choices.
  [`select if(hidden, 'yes', 'no') from core_page order by id`, [['no'], ['yes'], ['no']]],
  [`select if(id > 2, id, 'few') from core_page order by id`, [['few'], ['few'], ['3']]],
  [`select sum(if(page_id = 1, 1, 0)), count(if(page_id = 1, 1, null)) from core_action`, [[3, 3]]],
  [`select ifnull(null, 'x'), isnull(null), isnull(3), nullif(1, 1), coalesce(null, null, 4)`, [['x', 1, 0, null, 4]]],
  [
    `select case when source then 1 when page_id = 2 then 'two' else 'other' end from core_action where id in (1, 2)  order by id`,
    [['other'], ['two']],
  ],
  [`select case type when 'PETITION' then 'p' else 'd' end from core_page order by id`, [['p'], ['p'], ['d']]],
  [`select field(type, 'donation', 'petition'), field('x', 'a'), field(3, 1, 3) from core_page where id = 1`, [[2, 0, 2]]],
  [`select id from core_page order by field(id, 3, 1, 2)`, [[3], [1], [2]]],
  [`select elt(2, 'a', 'b'), interval_ from (select 4 interval_) x`, [['b', 4]]],
  // Dates.
  [
    `select year(created_at), month(created_at), day(created_at), hour(created_at), minute(created_at), second(created_at) from core_action where id = 5`,
    [[2026, 4, 11, 13, 5, 9]],
  ],
  [
    `select date(created_at), count(*) from core_action group by date(created_at) having count(*) > 1 order by 1`,
    [
      ['2026-03-02', 2],
      ['2026-05-31', 2],
    ],
  ],
  [
    `select date_format(created_at, '%Y-%m'), date_format(created_at, '%W %D of %M, %h:%i %p') from core_action where id = 5`,
    [['2026-04', 'Saturday 11th of April, 01:05 PM']],
  ],
  [`select id from core_action where created_at > '2026-04-11' order by id`, [[5], [6], [7]]],
  [`select id from core_action where created_at between '2026-03-02' and '2026-03-03' order by id`, [[2], [3]]],
  [
    `select id from core_action where created_at >= date_sub('2026-05-31', interval 2 month) and created_at < '2026-05-31' + interval 0 day order by id`,
    [[4], [5]],
  ],
  [
    `select date_add('2026-01-31', interval 1 month), date_sub('2026-03-01', interval 1 day), '2026-01-01' + interval 36 hour`,
    [['2026-02-28', '2026-02-28', '2026-01-02 12:00:00']],
  ],
  [
    `select date(created_at) - interval 1 year, created_at + interval 90 minute from core_action where id = 1`,
    [['2025-03-01', '2026-03-01T09:30:00']],
  ],
  [`select datediff('2026-03-01', '2026-02-27'), datediff(created_at, '2026-03-01 23:59:59') from core_action where id = 2`, [[2, 1]]],
  [
    `select timestampdiff(month, '2026-01-31', '2026-02-28'), timestampdiff(year, '1990-05-17', '2026-05-16'), timestampdiff(hour, '2026-01-01', '2026-01-02 01:59:00')`,
    [[0, 35, 25]],
  ],
  [
    `select unix_timestamp('2026-01-01'), from_unixtime(0), from_unixtime(86400, '%d.%m.%Y')`,
    [[1767225600, '1970-01-01T00:00:00', '02.01.1970']],
  ],
  [
    `select str_to_date('17.5.1990', '%d.%m.%Y'), str_to_date('May 3, 2026 4:05 pm', '%M %e, %Y %h:%i %p'), str_to_date('31.2.2026', '%d.%m.%Y')`,
    [['1990-05-17', '2026-05-03T16:05:00', null]],
  ],
  [
    `select convert_tz('2026-07-01 12:00:00', '+00:00', '-05:00'), convert_tz('2026-07-01 12:00:00', 'UTC', 'America/New_York')`,
    [['2026-07-01T07:00:00', '2026-07-01T08:00:00']],
  ],
  // Names of zones with a summer, to MySQL; to PostgreSQL abbreviations without one.
  [
    `select convert_tz('2026-07-01 12:00:00', 'UTC', 'CET'), convert_tz('2026-07-01 12:00:00', 'met', 'EET'), convert_tz('2026-01-01 12:00:00', 'WET', 'CET')`,
    [['2026-07-01T14:00:00', '2026-07-01T13:00:00', '2026-01-01T13:00:00']],
  ],
  [
    `select date(value), year(value) from core_actionfield where name = 'born' order by parent_id`,
    [
      ['1990-05-17', 1990],
      [null, null],
      [null, null],
    ],
  ],
  [`select count(*) from core_user where created_at <> '0000-00-00 00:00:00'`, [[4]]],
  [
    `select dayofweek('2026-03-01'), weekday('2026-03-01'), dayname('2026-03-01'), quarter('2026-05-01'), last_day('2026-02-10'), week('2026-03-01'), yearweek('2026-01-01'), dayofyear('2026-02-01')`,
    [[1, 6, 'Sunday', 2, '2026-02-28', 9, 202552, 32]],
  ],
  [`select extract(year from created_at), extract(month from created_at) from core_action where id = 1`, [[2026, 3]]],
  [
    `select date('2026-03-02') - date('2026-03-01'), date('2026-03-02') - 1, created_at - 0 from core_action where id = 1`,
    [[1, '20260301', '20260301080000']],
  ],
  [`select curdate() = date(now()), now() > '2020-01-01', utc_timestamp() >= current_date, year(now()) > 2020`, [[1, 1, 1, 1]]],
  // Texts taken apart.
  [
    `select substring_index(email, '@', 1), substring_index('a.b.c', '.', -2), substr('abcdef', -3, 2), mid('abcdef', 2, 3), left(email, 3), right(email, 3) from core_user where id = 2`,
    [['bob', 'b.c', 'de', 'bcd', 'bob', 'org']],
  ],
  [
    `select locate('EX', email), instr(email, '@'), position('b' in email), find_in_set('b', 'a,b,c'), strcmp('a', 'B') from core_user where id = 2`,
    [[5, 4, 1, 2, -1]],
  ],
  [
    `select length('é'), char_length('é'), upper('é'), reverse('abc'), repeat('ab', 2), space(2), replace('aXa', 'x', 'y'), trim('  a ')`,
    [[2, 1, 'É', 'cba', 'abab', '  ', 'aXa', 'a']],
  ],
  [
    `select sha1('abc'), md5('abc'), sha2('abc', 256)`,
    [
      [
        'a9993e364706816aba3e25717850c26c9cd0d89d',
        '900150983cd24fb0d6963f7d28e17f72',
        'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      ],
    ],
  ],
  [
    `select concat('a', 1, 2.50, created_user), concat('a', null), concat_ws('-', 'a', null, 3) from core_action where id = 1`,
    [['a12.501', null, 'a-3']],
  ],
  [`select id from core_user where email rlike '^[a-b].*ORG$' order by id`, [[1], [2]]],
  [`select id from core_user where email not regexp 'ann|bob' and id regexp '^[34]$' order by id`, [[3], [4]]],
  [`select id from core_action where created_at like '2026-04%' order by id`, [[4], [5]]],
  // Groups.
  [`select group_concat(name order by name desc separator '; ') from core_page`, [['give; Clean_Water; clean_air']]],
  [
    `select group_concat(distinct page_id order by page_id desc), group_concat(distinct lower(source) order by lower(source)) from core_action where id < 6`,
    [['3,2,1', 'ads,mail,web']],
  ],
  [`select group_concat(id, ':', page_id order by id) from core_action where user_id = 3`, [['4:1,5:3']]],
  [
    `select p.name, p.type, count(*) from core_page p join core_action a on a.page_id = p.id group by p.id order by p.id`,
    [
      ['clean_air', 'petition', 3],
      ['Clean_Water', 'petition', 2],
      ['give', 'donation', 2],
    ],
  ],
  [
    `select year(created_at) y, month(created_at) as m, count(*) n from core_action group by y, m having n > 1 order by y, m`,
    [
      [2026, 3, 3],
      [2026, 4, 2],
      [2026, 5, 2],
    ],
  ],
  [`select page_id as 'Page', count(*) as "Number" from core_action group by Page order by Number desc, Page limit 1`, [[1, 3]]],
  [
    `select page_id, count(distinct user_id) from core_action group by 1 order by 1`,
    [
      [1, 3],
      [2, 2],
      [3, 2],
    ],
  ],
  [`select count(distinct user_id, page_id) from core_action`, [[7]]],
  [
    `select page_id, n from (select page_id, count(*) n from core_action group by page_id) t where n = 2 order by page_id`,
    [
      [2, 2],
      [3, 2],
    ],
  ],

  [`select id * 2 as twice from core_page having twice > 2 order by twice desc`, [[6], [4]]],
  [`select name from core_page order by 1 desc limit 1`, [['give']]],
  [`select distinct user_id from core_action order by user_id desc limit 2`, [[4], [3]]],
  [
    `select straight_join u.id, count(a.id) c from core_user u left join core_action a on a.user_id = u.id and a.page_id = 1 group by u.id order by c desc, u.id`,
    [
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 0],
    ],
  ],
  [`select mailing_id from core_action union select 3 order by 1`, [[null], [3]]],
  [
    `select user_id, row_number() over (partition by page_id order by id) from core_action where page_id = 3`,
    [
      [3, 1],
      [2, 2],
    ],
  ],
  [`select u.id from core_user u where exists (select 1 from core_action a where a.user_id = u.id and a.source = 'ADS') = 1`, [[3]]],
  [`select id from core_user where id in (select user_id from core_action where page_id = 3) order by id`, [[2], [3]]],
  // Places.
  [`select id from core_user where state = "{{ state }}" and id > { from } order by id`, [[2]], { state: 'NY', from: 1 }],
  [`select id from core_user where id in ({{ ids }}) order by id`, [[1], [3]], { ids: [1, 3] }],
  [
    `select id from core_user where email like "%{part}%" and created_at > now() - interval '{{ days }}' day - interval 100 year`,
    [[2]],
    { part: 'OB@', days: 30 },
  ],
  [`select concat('{a}', "-", '{{ b }}!')`, [['x-y!']], { a: 'x', b: 'y' }],
];

export const REFUSED: [query: string, message: RegExp][] = [
  [`select @c := @c + 1 from core_user`, /user variables.*line 1, column 8/],
  [`select 1,\n  json_extract(fields, '$.a') from core_page`, /JSON_EXTRACT is not translated \(line 2, column 3\)/],
  [`select distinct id from core_user order by created_at + interval 1 day`, /SELECT DISTINCT/],
  [`select id from core_user order by 'id'`, /ORDER BY a text sorts by nothing/],
  [`select sleep(5)`, /SLEEP is not translated/],
  [`select pg_sleep(5)`, /PG_SLEEP/i],
  [`select 5 & 1`, /bits/],
  [`select 2 ^ 3`, /bits/],
  [`select id::text from core_user`, /the sign : cannot/],
  [`select 0x41`, /0x/],
  [`select /*!40000 1 */ + 1`, /comments that are run/],
  [`select state, count(*) from core_user group by state with rollup`, /ROLLUP/],
  [`select date_format(now(), '%U')`, /%U is not translated/],
  [`select name from core_page where match(name) against ('x')`, /MATCH/],
  [`select * , count(*) from core_page`, /\* beside GROUP BY/],
  [`select password from mysql.user`, /may not read mysql.user/],
  [`select 'abc`, /text is not closed/],
  [`select (1`, /parenthesis is not closed/],
  [`select id from core_user where`, /syntax error/],
  [`select id from core_user into outfile '/tmp/x'`, /INTO/],
  [`select 1; select 2`, /One statement/],
  [`delete from core_user`, /syntax error|Only SELECT/],
  [`select created_at from core_user procedure analyse()`, /PROCEDURE/],
  [`select now() + interval '1:30' hour_minute`, /HOUR_MINUTE/],
  [`select id from core_userx`, /core_userx/],
  [`select week(now(), 2)`, /WEEK is translated for the modes 0, 1 and 3/],
  [`select hour('272:59:59')`, /times of more than a day/],
  [`select period_diff(202605, 202601)`, /PERIOD_DIFF is not translated \(line 1, column 8\)/],
  [`select id from core_action where created_at > 20260410`, /operator does not exist/],
  [`select id from core_action where time(created_at) > 93000`, /time of the day is compared with a text/],
  [`select convert(id, geometry) from core_user`, /CONVERT needs a type/],
  [`select convert_tz(now(), 'UTC', 'Nowhere/Land')`, /not recognized/],
];
