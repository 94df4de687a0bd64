-- What statements in MySQL's dialect find before PostgreSQL's own: values, truth, numbers and dates as MySQL understands them.
-- Bodies that begin with `return` are bound to what they name when they are made, so no search path can turn them; every other function has
-- its search path pinned. All are immutable or stable, none runs as its owner.

create collation mysql.ci (provider = icu, locale = 'und-u-ks-level1', deterministic = false);

-- Text of a value, as MySQL writes it.
create function mysql.as_text(text) returns text immutable return $1;
create function mysql.as_text(boolean) returns text immutable return case when $1 then '1' when not $1 then '0' end;
create function mysql.as_text(integer) returns text immutable return $1::text;
create function mysql.as_text(bigint) returns text immutable return $1::text;
create function mysql.as_text(numeric) returns text immutable return $1::text;
create function mysql.as_text(double precision) returns text immutable return $1::text;
create function mysql.as_text(date) returns text stable return to_char($1, 'YYYY-MM-DD');
create function mysql.as_text(timestamptz) returns text stable return to_char($1 at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS');
create function mysql.as_text(timestamp) returns text stable return to_char($1, 'YYYY-MM-DD HH24:MI:SS');
create function mysql.as_text(jsonb) returns text immutable return $1::text;

-- A number of a value; text counts as far as it is one.
create function mysql.num(text) returns double precision immutable
  return case when $1 is not null
    then coalesce((substring(($1 collate "C") from '^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2}(?!\d))?)'))::double precision, 0) end;
create function mysql.num(boolean) returns integer immutable return $1::integer;
create function mysql.num(integer) returns integer immutable return $1;
create function mysql.num(bigint) returns bigint immutable return $1;
create function mysql.num(numeric) returns numeric immutable return $1;
create function mysql.num(double precision) returns double precision immutable return $1;
create function mysql.num(date) returns bigint stable return to_char($1, 'YYYYMMDD')::bigint;
create function mysql.num(timestamptz) returns bigint stable return to_char($1 at time zone 'UTC', 'YYYYMMDDHH24MISS')::bigint;

-- A value beside whole numbers: truth is 1 and 0, everything else itself.
create function mysql.value(boolean) returns integer immutable return $1::integer;
create function mysql.value(integer) returns integer immutable return $1;
create function mysql.value(bigint) returns bigint immutable return $1;
create function mysql.value(numeric) returns numeric immutable return $1;
create function mysql.value(double precision) returns double precision immutable return $1;
create function mysql.value(text) returns text immutable return $1;
create function mysql.value(date) returns date immutable return $1;
create function mysql.value(timestamptz) returns timestamptz immutable return $1;

create function mysql.truth(boolean) returns boolean immutable return $1;
create function mysql.truth(integer) returns boolean immutable return $1 <> 0;
create function mysql.truth(bigint) returns boolean immutable return $1 <> 0;
create function mysql.truth(numeric) returns boolean immutable return $1 <> 0;
create function mysql.truth(double precision) returns boolean immutable return $1 <> 0;
create function mysql.truth(text) returns boolean immutable return mysql.num($1) <> 0;
create function mysql.truth(date) returns boolean immutable return case when $1 is not null then true end;
create function mysql.truth(timestamptz) returns boolean immutable return case when $1 is not null then true end;

-- A point in time of a text: null where it is none, before all others for zero dates.
create function mysql.datetime(text) returns timestamptz immutable language plpgsql set search_path = pg_catalog as $$
declare
  part text[] := regexp_match($1 collate "C", '^\s*(\d{4})-?(\d{1,2})-?(\d{1,2})(?:[ T](\d{1,2}):?(\d{1,2})(?::?(\d{1,2})(\.\d{1,6})?\d*)?)?\s*$');
  y int := part[1]; m int := part[2]; d int := part[3];
begin
  if part is null then return null; end if;
  if y = 0 and m = 0 and d = 0 then return '-infinity'; end if;
  if y = 0 or m not between 1 and 12 or d < 1 or coalesce(part[4]::int, 0) > 23 or coalesce(part[5]::int, 0) > 59 or coalesce(part[6]::int, 0) > 59
    or d > extract(day from make_date(y, m, 1) + interval '1 month' - interval '1 day') then return null; end if;
  return make_timestamp(y, m, d, coalesce(part[4]::int, 0), coalesce(part[5]::int, 0), coalesce(part[6] || part[7], part[6], '0')::double precision)
    at time zone 'UTC';
end $$;
-- For functions of dates a zero date is none.
create function mysql.moment(text) returns timestamptz immutable return nullif(mysql.datetime($1), '-infinity');
create function mysql.moment(timestamptz) returns timestamptz immutable return $1;
-- For functions of the time of day: `10:05` as well, on whatever day.
create function mysql.clock(text) returns timestamptz immutable language plpgsql set search_path = pg_catalog as $$
declare
  part text[] := regexp_match($1 collate "C", '^\s*(\d{1,3}):(\d{1,2})(?::(\d{1,2})(\.\d{1,6})?\d*)?\s*$');
begin
  if part is null then return mysql.moment($1); end if;
  if part[2]::int > 59 or coalesce(part[3]::int, 0) > 59 then return null; end if;
  if part[1]::int > 23 then raise exception 'times of more than a day are not translated'; end if;
  return make_timestamp(1970, 1, 1, part[1]::int, part[2]::int, coalesce(part[3] || part[4], part[3], '0')::double precision) at time zone 'UTC';
end $$;
create function mysql.date(timestamptz) returns date immutable return ($1 at time zone 'UTC')::date;
create function mysql.date(text) returns date immutable return mysql.date(mysql.moment($1));
create function mysql.date(date) returns date immutable return $1;

create function mysql.now() returns timestamptz stable return date_trunc('second', now());
create function mysql.curdate() returns date stable return mysql.date(now());
create function mysql.curtime() returns text stable return to_char(now() at time zone 'UTC', 'HH24:MI:SS');

do $$
declare part record;
begin
  for part in select * from (values
    ('year', 'extract(year from %s)::int'), ('month', 'extract(month from %s)::int'), ('day', 'extract(day from %s)::int'),
    ('hour', 'extract(hour from %s)::int'), ('minute', 'extract(minute from %s)::int'), ('second', 'floor(extract(second from %s))::int'),
    ('microsecond', '(extract(microseconds from %s)::int %% 1000000)'), ('quarter', 'extract(quarter from %s)::int'),
    ('weekofyear', 'extract(week from %s)::int'), ('dayofyear', 'extract(doy from %s)::int'), ('dayofweek', 'extract(dow from %s)::int + 1'),
    ('weekday', 'extract(isodow from %s)::int - 1'), ('to_days', '((%s)::date - date ''0001-01-01'') + 366'),
    ('week', '((extract(doy from %1$s)::int + 6 - extract(dow from %1$s)::int) / 7)'),
    -- Weeks of Mondays; the first has four days of the year or more, those before it are week 0.
    ('week_of_mondays', '((extract(doy from %1$s)::int - 1 + extract(isodow from date_trunc(''year'', %1$s))::int - 1) / 7
       + (extract(isodow from date_trunc(''year'', %1$s)) <= 4)::int)'),
    ('yearweek', '(extract(year from %1$s - extract(dow from %1$s) * interval ''1 day'')::int * 100
       + (extract(doy from %1$s - extract(dow from %1$s) * interval ''1 day'')::int + 6) / 7)'),
    ('yearweek_iso', '(extract(isoyear from %1$s)::int * 100 + extract(week from %1$s)::int)'),
    ('time_to_sec', 'floor(extract(epoch from (%s)::time))::int')
  ) v(name, body) loop
    execute format('create function mysql.%I(timestamptz) returns int immutable return ', part.name) || format(part.body, '($1 at time zone ''UTC'')');
    execute format('create function mysql.%1$I(text) returns int immutable return mysql.%1$I(mysql.%2$I($1))', part.name,
      case when part.name in ('hour', 'minute', 'second', 'microsecond', 'time_to_sec') then 'clock' else 'moment' end);
  end loop;
end $$;
create function mysql.dayname(timestamptz) returns text stable return to_char($1 at time zone 'UTC', 'FMDay');
create function mysql.dayname(text) returns text stable return mysql.dayname(mysql.moment($1));
create function mysql.monthname(timestamptz) returns text stable return to_char($1 at time zone 'UTC', 'FMMonth');
create function mysql.monthname(text) returns text stable return mysql.monthname(mysql.moment($1));
create function mysql.last_day(timestamptz) returns date immutable
  return (date_trunc('month', $1 at time zone 'UTC') + interval '1 month' - interval '1 day')::date;
create function mysql.last_day(text) returns date immutable return mysql.last_day(mysql.moment($1));
create function mysql.from_days(integer) returns date immutable return date '0001-01-01' + ($1 - 366);
create function mysql.makedate(integer, integer) returns date immutable return case when $2 > 0 then make_date($1, 1, 1) + ($2 - 1) end;
create function mysql.clock(timestamptz) returns timestamptz immutable return $1;
create function mysql.time(timestamptz) returns text stable return to_char($1 at time zone 'UTC', 'HH24:MI:SS');
create function mysql.time(text) returns text stable return mysql.time(mysql.clock($1));
create function mysql.sec_to_time(bigint) returns text stable
  return case when $1 < 0 then '-' else '' end || lpad((abs($1) / 3600)::text, greatest(2, length((abs($1) / 3600)::text)), '0')
    || to_char(make_interval(secs => abs($1) % 3600), ':MI:SS');
-- The pattern is PostgreSQL's: made of MySQL's as the statement is translated.
create function mysql.date_format(timestamptz, text) returns text stable return to_char($1 at time zone 'UTC', $2);
create function mysql.date_format(text, text) returns text stable return to_char(mysql.moment($1) at time zone 'UTC', $2);

-- A text read by a pattern with one group for each letter of `parts`; null where it does not fit.
create function mysql.read_date(value text, pattern text, parts text) returns timestamptz immutable language plpgsql set search_path = pg_catalog as $$
declare
  found text[] := regexp_match(value collate "C", pattern, 'i');
  y int := 0; m int := 1; d int := 1; h int := 0; i int := 0; s int := 0; afternoon boolean;
begin
  if found is null then return null; end if;
  for n in 1 .. length(parts) loop
    case substr(parts, n, 1)
      when 'Y' then y := found[n];
      when 'y' then y := found[n]::int + case when found[n]::int < 70 then 2000 else 1900 end;
      when 'm' then m := found[n];
      when 'b' then m := (strpos('janfebmaraprmayjunjulaugsepoctnovdec', lower(left(found[n], 3))) + 2) / 3;
      when 'd' then d := found[n];
      when 'H' then h := found[n];
      when 'i' then i := found[n];
      when 's' then s := found[n];
      when 'p' then afternoon := lower(found[n]) = 'pm';
    end case;
  end loop;
  if afternoon is not null then
    if h not between 1 and 12 then return null; end if;
    h := h % 12 + case when afternoon then 12 else 0 end;
  end if;
  if y = 0 or m not between 1 and 12 or d < 1 or h > 23 or i > 59 or s > 59
    or d > extract(day from make_date(y, m, 1) + interval '1 month' - interval '1 day') then return null; end if;
  return make_timestamp(y, m, d, h, i, s) at time zone 'UTC';
end $$;

-- `n` units later. The last day of a shorter month stands for the days it has not.
create function mysql.span(n double precision, unit text) returns interval immutable
  return case unit
    when 'microsecond' then make_interval(secs => n / 1000000) when 'second' then make_interval(secs => n)
    when 'minute' then make_interval(mins => round(n)::int) when 'hour' then make_interval(hours => round(n)::int)
    when 'day' then make_interval(days => round(n)::int) when 'week' then make_interval(weeks => round(n)::int)
    when 'month' then make_interval(months => round(n)::int) when 'quarter' then make_interval(months => round(n)::int * 3)
    when 'year' then make_interval(years => round(n)::int) end;
create function mysql.later(timestamptz, double precision, text) returns timestamptz immutable
  return (($1 at time zone 'UTC') + mysql.span($2, $3)) at time zone 'UTC';
create function mysql.later(date, double precision, text) returns timestamptz immutable
  return ($1::timestamp + mysql.span($2, $3)) at time zone 'UTC';
create function mysql.later(text, double precision, text) returns text stable return mysql.as_text(mysql.later(mysql.moment($1), $2, $3));
create function mysql.later_days(timestamptz, double precision, text) returns timestamptz immutable return mysql.later($1, $2, $3);
create function mysql.later_days(date, double precision, text) returns date immutable return ($1::timestamp + mysql.span($2, $3))::date;
create function mysql.later_days(text, double precision, text) returns text stable
  return left(mysql.as_text(mysql.later(mysql.moment($1), $2, $3)), case when length(btrim($1)) > 10 then 19 else 10 end);

create function mysql.datediff(timestamptz, timestamptz) returns integer immutable return mysql.date($1) - mysql.date($2);
create function mysql.datediff(text, timestamptz) returns integer immutable return mysql.date($1) - mysql.date($2);
create function mysql.datediff(timestamptz, text) returns integer immutable return mysql.date($1) - mysql.date($2);
create function mysql.datediff(text, text) returns integer immutable return mysql.date($1) - mysql.date($2);
create function mysql.whole_months(timestamp, timestamp) returns bigint immutable
  return (extract(year from $2) * 12 + extract(month from $2) - extract(year from $1) * 12 - extract(month from $1))::bigint
    + case
      when date_trunc('month', $2) > date_trunc('month', $1) and $2 - date_trunc('month', $2) < $1 - date_trunc('month', $1) then -1
      when date_trunc('month', $2) < date_trunc('month', $1) and $2 - date_trunc('month', $2) > $1 - date_trunc('month', $1) then 1
      else 0 end;
create function mysql.timestampdiff(text, timestamptz, timestamptz) returns bigint immutable
  return case $1
    when 'second' then trunc(extract(epoch from $3) - extract(epoch from $2))
    when 'minute' then trunc((extract(epoch from $3) - extract(epoch from $2)) / 60)
    when 'hour' then trunc((extract(epoch from $3) - extract(epoch from $2)) / 3600)
    when 'day' then trunc((extract(epoch from $3) - extract(epoch from $2)) / 86400)
    when 'week' then trunc((extract(epoch from $3) - extract(epoch from $2)) / 604800)
    when 'month' then mysql.whole_months($2 at time zone 'UTC', $3 at time zone 'UTC')
    when 'quarter' then mysql.whole_months($2 at time zone 'UTC', $3 at time zone 'UTC') / 3
    when 'year' then mysql.whole_months($2 at time zone 'UTC', $3 at time zone 'UTC') / 12 end;
create function mysql.unix_timestamp() returns bigint stable return floor(extract(epoch from now()))::bigint;
create function mysql.unix_timestamp(timestamptz) returns bigint immutable return floor(extract(epoch from $1))::bigint;
create function mysql.unix_timestamp(text) returns bigint immutable return mysql.unix_timestamp(mysql.moment($1));
create function mysql.from_unixtime(double precision) returns timestamptz immutable return to_timestamp($1);
-- By these short names PostgreSQL means one offset all the year.
create function mysql.zone(text) returns text immutable
  return case upper($1) when 'CET' then 'Europe/Brussels' when 'MET' then 'Europe/Brussels' when 'EET' then 'Europe/Athens' when 'WET' then 'Europe/Lisbon' else $1 end;
create function mysql.convert_tz(timestamptz, text, text) returns timestamptz immutable language plpgsql set search_path = pg_catalog as $$
declare
  wall timestamp := $1 at time zone 'UTC';
  moment timestamptz;
begin
  -- An offset as text would be taken the other way round.
  moment := case when $2 ~ '^[+-]\d?\d:\d\d$' then wall at time zone $2::interval when upper($2) = 'SYSTEM' then $1 else wall at time zone mysql.zone($2) end;
  wall := case when $3 ~ '^[+-]\d?\d:\d\d$' then moment at time zone $3::interval when upper($3) = 'SYSTEM' then moment at time zone 'UTC' else moment at time zone mysql.zone($3) end;
  return wall at time zone 'UTC';
end $$;
create function mysql.convert_tz(text, text, text) returns timestamptz immutable return mysql.convert_tz(mysql.moment($1), $2, $3);

-- Casts.
create function mysql.as_signed(boolean) returns bigint immutable return $1::int::bigint;
create function mysql.as_signed(bigint) returns bigint immutable return $1;
create function mysql.as_signed(numeric) returns bigint immutable return round($1)::bigint;
create function mysql.as_signed(double precision) returns bigint immutable return round($1::numeric)::bigint;
-- Its whole number, digit by digit: as floating ones ids of other services would become others.
create function mysql.as_signed(text) returns bigint immutable return case when $1 is not null then least(greatest(
  coalesce(substring(($1 collate "C") from '^\s*([+-]?\d+)'), '0')::numeric, -9223372036854775808), 9223372036854775807)::bigint end;
create function mysql.as_signed(timestamptz) returns bigint stable return mysql.num($1);
create function mysql.as_signed(date) returns bigint stable return mysql.num($1);
create function mysql.as_decimal(boolean, integer) returns numeric immutable return round($1::int::numeric, $2);
create function mysql.as_decimal(numeric, integer) returns numeric immutable return round($1, $2);
create function mysql.as_decimal(double precision, integer) returns numeric immutable return round($1::numeric, $2);
create function mysql.as_decimal(text, integer) returns numeric immutable return round(mysql.num($1)::numeric, $2);
create function mysql.as_double(double precision) returns double precision immutable return $1;
create function mysql.as_double(text) returns double precision immutable return mysql.num($1);

-- Numbers.
create function mysql.round(numeric, integer) returns numeric immutable return round($1, $2);
create function mysql.round(double precision, integer) returns double precision immutable return round($1::numeric, $2)::double precision;
create function mysql.round(boolean, integer) returns numeric immutable return round($1::int::numeric, $2);
create function mysql.truncate(numeric, integer) returns numeric immutable return trunc($1, $2);
create function mysql.truncate(double precision, integer) returns double precision immutable return trunc($1::numeric, $2)::double precision;
create function mysql.format(numeric, integer) returns text stable
  return case when $2 > 0 then ltrim(to_char(round($1, $2), 'FM999,999,999,999,999,999,990.' || repeat('0', least($2, 30)))) else to_char(round($1, 0), 'FM999,999,999,999,999,999,990') end;
create function mysql.format(double precision, integer) returns text stable return mysql.format($1::numeric, $2);
create function mysql.format(text, integer) returns text stable return mysql.format(mysql.num($1)::numeric, $2);
create function mysql.format(boolean, integer) returns text stable return mysql.format($1::int::numeric, $2);
create function mysql.greatest(variadic anycompatiblearray) returns anycompatible immutable language sql set search_path = pg_catalog
  as $$ select case when array_position($1, null) is null then max(each) end from unnest($1) as list(each) $$;
create function mysql.least(variadic anycompatiblearray) returns anycompatible immutable language sql set search_path = pg_catalog
  as $$ select case when array_position($1, null) is null then min(each) end from unnest($1) as list(each) $$;
create function mysql.ln(double precision) returns double precision immutable return case when $1 > 0 then ln($1) end;
create function mysql.log2(double precision) returns double precision immutable return case when $1 > 0 then ln($1) / ln(2::double precision) end;
create function mysql.log10(double precision) returns double precision immutable return case when $1 > 0 then log($1) end;
create function mysql.sqrt(double precision) returns double precision immutable return case when $1 >= 0 then sqrt($1) end;
create function mysql.pow(double precision, double precision) returns double precision immutable return power($1, $2);
create function mysql.div(numeric, numeric) returns bigint immutable return trunc($1 / nullif($2, 0))::bigint;
create function mysql.div(double precision, double precision) returns bigint immutable return trunc($1 / nullif($2, 0))::bigint;
create function mysql.div(boolean, numeric) returns bigint immutable return trunc($1::int / nullif($2, 0))::bigint;

-- Texts. Comparing without regard to case and accents, as the tables' own texts do.
create function mysql.fold(text) returns text immutable
  return case when octet_length($1) = length($1) then lower($1 collate "C") else
    translate(lower($1 collate "C"), 'àáâãäåāăąçćčďèéêëēėęěìíîïīįłñńňòóôõöøōřśšťùúûüūůűýÿźżžÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝ',
      'aaaaaaaaacccdeeeeeeeeiiiiiilnnnooooooorsstuuuuuuuyyzzzaaaaaaceeeeiiiinoooooouuuuy') end;
create function mysql.has_pattern(text, text) returns boolean immutable
  return (lower($1) collate "C") ~* (replace(replace($2 collate "C", '\b', '\y'), '\B', '\Y') collate "C");
create function mysql.locate(text, text) returns integer immutable return strpos(mysql.fold($2), mysql.fold($1));
create function mysql.locate(text, text, integer) returns integer immutable
  return case when $3 < 1 then 0 when strpos(substr(mysql.fold($2), $3), mysql.fold($1)) = 0 then 0 else strpos(substr(mysql.fold($2), $3), mysql.fold($1)) + $3 - 1 end;
create function mysql.substr(text, integer) returns text immutable
  return case when $2 > 0 then substr($1, $2) when $2 = 0 or -$2 > length($1) then case when $1 is not null then '' end else right($1, -$2) end;
create function mysql.substr(text, integer, integer) returns text immutable return left(mysql.substr($1, $2), greatest($3, 0));
create function mysql.left(text, integer) returns text immutable return left($1, greatest($2, 0));
create function mysql.right(text, integer) returns text immutable return right($1, greatest($2, 0));
create function mysql.lpad(text, integer, text) returns text immutable
  return case when $2 < 0 or ($3 = '' and length($1) < $2) then null else lpad($1, $2, $3) end;
create function mysql.rpad(text, integer, text) returns text immutable
  return case when $2 < 0 or ($3 = '' and length($1) < $2) then null else rpad($1, $2, $3) end;
create function mysql.replace(text, text, text) returns text immutable return replace($1 collate "C", $2 collate "C", $3 collate "C");
create function mysql.substring_index(text, text, integer) returns text immutable
  return case when $3 = 0 or $2 = '' then case when $1 is not null then '' end
    when $3 > 0 then array_to_string((string_to_array($1 collate "C", $2 collate "C"))[1:$3], $2)
    else array_to_string((string_to_array($1 collate "C", $2 collate "C"))[greatest(1, cardinality(string_to_array($1 collate "C", $2 collate "C")) + $3 + 1):], $2) end;
create function mysql.find_in_set(text, text) returns integer immutable
  return case when $1 is not null and $2 is not null then coalesce(array_position(string_to_array(mysql.fold($2), ','), mysql.fold($1)), 0) end;
create function mysql.field(text, text[]) returns integer immutable
  return coalesce(array_position($2, $1 collate mysql.ci), 0);
create function mysql.field(double precision, double precision[]) returns integer immutable return coalesce(array_position($2, $1), 0);
create function mysql.strcmp(text, text) returns integer immutable
  return case when ($1 collate mysql.ci) = $2 then 0 when ($1 collate mysql.ci) < $2 then -1 when $2 is not null then 1 end;
create function mysql.sha2(text, integer) returns text immutable
  return case $2 when 224 then encode(sha224(convert_to($1, 'UTF8')), 'hex') when 384 then encode(sha384(convert_to($1, 'UTF8')), 'hex')
    when 512 then encode(sha512(convert_to($1, 'UTF8')), 'hex') when 256 then encode(sha256(convert_to($1, 'UTF8')), 'hex')
    when 0 then encode(sha256(convert_to($1, 'UTF8')), 'hex') end;
create function mysql.hex(text) returns text immutable return upper(encode(convert_to($1, 'UTF8'), 'hex'));
create function mysql.hex(bigint) returns text immutable return upper(to_hex($1));
create function mysql.sha1(text) returns text immutable strict language plpgsql set search_path = pg_catalog as $$
declare
  message bytea := convert_to($1, 'UTF8');
  bits bigint := octet_length(message) * 8;
  low constant bigint := 4294967295;
  h bigint[] := array[1732584193, 4023233417, 2562383102, 271733878, 3285377520];
  w bigint[]; a bigint; b bigint; c bigint; d bigint; e bigint; f bigint; k bigint; x bigint;
begin
  message := message || '\x80'::bytea || decode(repeat('00', (119 - octet_length(message) % 64) % 64), 'hex') || int8send(bits);
  for chunk in 0 .. octet_length(message) / 64 - 1 loop
    w := '{}';
    for t in 0 .. 15 loop
      w[t] := get_byte(message, chunk * 64 + t * 4)::bigint * 16777216 + get_byte(message, chunk * 64 + t * 4 + 1) * 65536
        + get_byte(message, chunk * 64 + t * 4 + 2) * 256 + get_byte(message, chunk * 64 + t * 4 + 3);
    end loop;
    for t in 16 .. 79 loop
      x := w[t - 3] # w[t - 8] # w[t - 14] # w[t - 16];
      w[t] := ((x << 1) | (x >> 31)) & low;
    end loop;
    a := h[1]; b := h[2]; c := h[3]; d := h[4]; e := h[5];
    for t in 0 .. 79 loop
      if t < 20 then f := (b & c) | ((~b & low) & d); k := 1518500249;
      elsif t < 40 then f := b # c # d; k := 1859775393;
      elsif t < 60 then f := (b & c) | (b & d) | (c & d); k := 2400959708;
      else f := b # c # d; k := 3395469782; end if;
      x := ((((a << 5) | (a >> 27)) & low) + f + e + k + w[t]) & low;
      e := d; d := c; c := ((b << 30) | (b >> 2)) & low; b := a; a := x;
    end loop;
    h := array[(h[1] + a) & low, (h[2] + b) & low, (h[3] + c) & low, (h[4] + d) & low, (h[5] + e) & low];
  end loop;
  return lpad(to_hex(h[1]), 8, '0') || lpad(to_hex(h[2]), 8, '0') || lpad(to_hex(h[3]), 8, '0') || lpad(to_hex(h[4]), 8, '0') || lpad(to_hex(h[5]), 8, '0');
end $$;

-- Lists joined: what GROUP_CONCAT(DISTINCT …) gathered in the order of its own type.
do $$
declare kind text;
begin
  foreach kind in array array['text', 'boolean', 'integer', 'bigint', 'numeric', 'double precision', 'date', 'timestamptz'] loop
    execute format('create function mysql.joined(%1$s[], text) returns text stable set search_path = pg_catalog language sql
      as $f$ select string_agg(mysql.as_text(each), $2 order by place) from unnest($1) with ordinality as list(each, place) $f$', kind);
  end loop;
end $$;

-- Truth is counted, texts are as far as they are numbers.
create function mysql.sum_step(bigint, boolean) returns bigint immutable return case when $2 is null then $1 else coalesce($1, 0) + $2::int end;
create aggregate mysql.sum(boolean) (sfunc = mysql.sum_step, stype = bigint);
create function mysql.sum_step(double precision, text) returns double precision immutable
  return case when $2 is null then $1 else coalesce($1, 0) + mysql.num($2) end;
create aggregate mysql.sum(text) (sfunc = mysql.sum_step, stype = double precision);
create function mysql.or_step(boolean, boolean) returns boolean immutable return case when $1 is null then $2 when $2 is null then $1 else $1 or $2 end;
create function mysql.and_step(boolean, boolean) returns boolean immutable return case when $1 is null then $2 when $2 is null then $1 else $1 and $2 end;
create aggregate mysql.max(boolean) (sfunc = mysql.or_step, stype = boolean);
create aggregate mysql.min(boolean) (sfunc = mysql.and_step, stype = boolean);
