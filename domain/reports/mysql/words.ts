// Words the grammar of both dialects shares, and those only MySQL has.

const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter(Boolean));

/** Words of the grammar; every other word is a name. */
export const GRAMMAR =
  set(`select distinct all from where group by having order asc desc limit offset union intersect except join inner left right outer
  cross natural on using as and or not in is null true false unknown like between escape exists case when then else end any some with recursive over
  partition rows range unbounded preceding following current row coalesce nullif greatest least cast extract position substring trim
  both leading trailing for lateral window collate`);

/** Those of them that may stand right before a parenthesis without being a function's name. */
export const BEFORE_PARENTHESIS =
  set(`select distinct all from where by having limit offset union intersect except join on using as and or not in like between
  case when then else any some exists over lateral coalesce nullif greatest least cast extract position substring trim is row asc desc escape with recursive inner outer cross`);

/** After which a text is a value, never the name of a column of the result. */
export const BEFORE_VALUE =
  set(`select distinct all where by having on and or not in is like between escape case when then else limit offset xor
  rlike regexp div mod binary separator interval any some using from both leading trailing for`);

/** What values are cast to. */
export const TYPES = set('signed unsigned char nchar date datetime time decimal dec float double real');

export const UNITS = set('microsecond second minute hour day week month quarter year');
export const COMPOUND_UNITS =
  set(`second_microsecond minute_microsecond minute_second hour_microsecond hour_second hour_minute day_microsecond day_second
  day_minute day_hour year_month`);

/** What is said of how to run a statement, not of what it gives. */
export const HINTS = set('sql_no_cache sql_cache sql_calc_found_rows sql_small_result sql_big_result sql_buffer_result high_priority');

/** Where the operands of XOR begin or end. */
export const BOUNDARY = set(
  `select distinct where on having when then else case or from group order limit as end union except intersect by and_ xor`,
);

/** Words that stand for a moment, with or without parentheses, and the function that gives it. */
export const MOMENTS: ReadonlyMap<string, string> = new Map([
  ['current_date', 'curdate'],
  ['utc_date', 'curdate'],
  ['current_timestamp', 'now'],
  ['localtime', 'now'],
  ['localtimestamp', 'now'],
  ['utc_timestamp', 'now'],
  ['current_time', 'curtime'],
  ['utc_time', 'curtime'],
]);

export const REFUSED_WORDS: ReadonlyMap<string, string> = new Map([
  ['into', 'SELECT … INTO cannot be used'],
  ['values', 'VALUES is not translated'],
  ['rollup', 'WITH ROLLUP is not translated'],
  ['sounds', 'SOUNDS LIKE is not translated'],
  ['procedure', 'PROCEDURE cannot be used'],
  ['match', 'MATCH … AGAINST is not translated'],
]);

/** Words that are no functions where a parenthesis follows; `mod` alone may be one. */
export const NO_FUNCTIONS = set('interval div mod xor rlike regexp binary separator union straight_join use force ignore');

/** Functions that stand for what PostgreSQL's grammar has no words for. */
export const MARK = {
  interval: 'mysql interval',
  cast: 'mysql cast',
  separator: 'mysql separator',
  truth: 'mysql truth',
  divide: 'mysql div',
} as const;
/** An operator no dialect has: BINARY. */
export const BINARY_SIGN = '@@@';

export const fold = (text: string): string => text.toLowerCase();
