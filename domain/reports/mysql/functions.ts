// What becomes of MySQL's functions. What is not here and not in calls.ts is refused by its name: another function of the same name would give another answer.

export interface Translation {
  /** In schema mysql with a `.` in front, else PostgreSQL's own or one found by the search path. */
  to: string;
  /** Of each argument: t a text, whatever it was; anything else as it is. The last counts for all that follow. */
  args?: string;
  /** Fewest and most arguments. */
  takes: readonly [number, number];
  /** Gives a text that belongs to no column, so nobody has said yet how it compares. */
  givesText?: boolean;
}

const TABLE = `
  upper 1 upper t text | ucase 1 upper t text | lower 1 lower t text | lcase 1 lower t text | ltrim 1 ltrim t text | rtrim 1 rtrim t text
  reverse 1 reverse t text | repeat 2 repeat ti text | replace 3 .replace ttt text | left 2 .left ti text | right 2 .right ti text
  substr 2-3 .substr tii text | substring 2-3 .substr tii text | mid 3 .substr tii text | lpad 3 .lpad tit text | rpad 3 .rpad tit text
  length 1 octet_length t | octet_length 1 octet_length t | char_length 1 char_length t | character_length 1 char_length t
  locate 2-3 .locate tti | substring_index 3 .substring_index tti text | find_in_set 2 .find_in_set tt | strcmp 2 .strcmp tt
  md5 1 md5 t text | sha1 1 .sha1 t text | sha 1 .sha1 t text | sha2 2 .sha2 ti text | hex 1 .hex i text | format 2 .format ii text
  abs 1 abs | ceil 1 ceil | ceiling 1 ceil | floor 1 floor | truncate 2 .truncate | pow 2 .pow | power 2 .pow | sqrt 1 .sqrt | exp 1 exp | ln 1 .ln
  log2 1 .log2 | log10 1 .log10 | sign 1 sign | rand 0 random | pi 0 pi
  now 0-1 .now | sysdate 0-1 .now | curdate 0 .curdate | curtime 0 .curtime text | date 1 .date | time 1 .time i text | timestamp 1 .moment
  year 1 .year | month 1 .month | day 1 .day | dayofmonth 1 .day | hour 1 .hour | minute 1 .minute | second 1 .second | microsecond 1 .microsecond
  quarter 1 .quarter | weekofyear 1 .weekofyear | dayofyear 1 .dayofyear | dayofweek 1 .dayofweek | weekday 1 .weekday | to_days 1 .to_days
  from_days 1 .from_days | makedate 2 .makedate | last_day 1 .last_day | dayname 1 .dayname i text | monthname 1 .monthname i text | datediff 2 .datediff
  time_to_sec 1 .time_to_sec | sec_to_time 1 .sec_to_time i text | unix_timestamp 0-1 .unix_timestamp | convert_tz 3 .convert_tz
  count 1 count | sum 1 sum | min 1 min | max 1 max | std 1 stddev_pop | stddev 1 stddev_pop | stddev_pop 1 stddev_pop | stddev_samp 1 stddev_samp
  variance 1 var_pop | var_pop 1 var_pop | var_samp 1 var_samp | any_value 1 any_value
  row_number 0 row_number | rank 0 rank | dense_rank 0 dense_rank | percent_rank 0 percent_rank | cume_dist 0 cume_dist | ntile 1 ntile
  lag 1-3 lag | lead 1-3 lead | first_value 1 first_value | last_value 1 last_value | nth_value 2 nth_value`;

/** By the name in lower case. */
export const FUNCTIONS: ReadonlyMap<string, Translation> = new Map(
  TABLE.split(/[|\n]/)
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const [name = '', takes = '', to = '', ...more] = line.split(' ');
      const [least, most = least] = takes.split('-').map(Number);
      const args = more.find((each) => each !== 'text');
      return [name, { to, takes: [least!, most!], givesText: more.includes('text'), ...(args && { args }) }];
    }),
);

/** Functions over the rows of a group, as they are called once translated. */
export const AGGREGATES: ReadonlySet<string> = new Set(
  'count sum min max stddev_pop stddev_samp var_pop var_samp any_value string_agg array_agg'.split(' '),
);
