-- Operators between what PostgreSQL does not compare or count: truth with numbers, text with numbers and dates, dates as numbers.

create function mysql.quotient(numeric, numeric) returns numeric immutable return round($1 / nullif($2, 0), scale($1) + 4);
create function mysql.quotient(double precision, double precision) returns double precision immutable return $1 / nullif($2, 0);
-- A quotient of which more is made: in MySQL digits come in nines.
create function mysql.divided(numeric, numeric) returns numeric immutable
  return trunc($1 / nullif($2, 0), (ceil((scale($1) + scale($2) + 4) / 9.0) * 9)::int);
create function mysql.divided(double precision, double precision) returns double precision immutable return $1 / nullif($2, 0);
-- What is made of quotients, with as many digits as the other has.
create function mysql.shown(numeric, numeric) returns numeric immutable return round($1, scale($2));
create function mysql.shown(double precision, double precision) returns double precision immutable return $1;
do $$
declare
  here text;
  other text;
begin
  foreach here in array array['integer', 'bigint', 'numeric'] loop
    foreach other in array array['integer', 'bigint', 'numeric'] loop
      continue when here = 'numeric' and other = 'numeric';
      execute format('create function mysql.divided(%s, %s) returns numeric immutable return mysql.divided($1::numeric, $2::numeric)', here, other);
    end loop;
  end loop;
end $$;
create function mysql.remainder(numeric, numeric) returns numeric immutable return $1 % nullif($2, 0);
create function mysql.remainder(bigint, bigint) returns bigint immutable return $1 % nullif($2, 0);
create function mysql.remainder(double precision, double precision) returns double precision immutable
  return ($1::numeric % nullif($2, 0)::numeric)::double precision;

do $$
declare
  sign text;
  here text;
  other text;
  made text;
  numbers constant text[] := array['integer', 'bigint', 'numeric', 'double precision'];
  names constant jsonb := '{"=": "eq", "<>": "ne", "<": "lt", ">": "gt", "<=": "le", ">=": "ge", "+": "plus", "-": "minus", "*": "times", "/": "over", "%": "rest"}';
  commuted constant jsonb := '{"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}';
begin
  -- Truth with numbers.
  foreach other in array numbers loop
    foreach sign in array array['=', '<>', '<', '>', '<=', '>='] loop
      made := 'mysql.' || (names ->> sign);
      execute format('create function %s(boolean, %s) returns boolean immutable return $1::int %s $2', made, other, sign);
      execute format('create function %s(%s, boolean) returns boolean immutable return $1 %s $2::int', made, other, sign);
    end loop;
    foreach sign in array array['+', '-', '*'] loop
      made := 'mysql.' || (names ->> sign);
      execute format('create function %s(boolean, %s) returns %s immutable return $1::int %s $2', made, other, other, sign);
      execute format('create function %s(%s, boolean) returns %s immutable return $1 %s $2::int', made, other, other, sign);
    end loop;
    execute format('create function mysql.over(boolean, %1$s) returns %2$s immutable return mysql.quotient($1::int::%2$s, $2::%2$s)', other,
      case other when 'double precision' then other else 'numeric' end);
    execute format('create function mysql.over(%1$s, boolean) returns %2$s immutable return mysql.quotient($1::%2$s, $2::int::%2$s)', other,
      case other when 'double precision' then other else 'numeric' end);
    -- Whole numbers divided are no whole number.
    execute format('create function mysql.over(%1$s, %1$s) returns %2$s immutable return mysql.quotient($1::%2$s, $2::%2$s)', other,
      case other when 'double precision' then other else 'numeric' end);
    execute format('create function mysql.rest(%1$s, %1$s) returns %2$s immutable return mysql.remainder($1::%2$s, $2::%2$s)', other,
      case other when 'integer' then 'bigint' else other end);
  end loop;
  create function mysql.over(integer, bigint) returns numeric immutable return mysql.quotient($1::numeric, $2::numeric);
  create function mysql.over(bigint, integer) returns numeric immutable return mysql.quotient($1::numeric, $2::numeric);
  create function mysql.rest(integer, bigint) returns bigint immutable return mysql.remainder($1::bigint, $2);
  create function mysql.rest(bigint, integer) returns bigint immutable return mysql.remainder($1, $2::bigint);
  foreach sign in array array['+', '-', '*'] loop
    execute format('create function mysql.%s(boolean, boolean) returns integer immutable return $1::int %s $2::int', names ->> sign, sign);
  end loop;
  create function mysql.over(boolean, boolean) returns numeric immutable return mysql.quotient($1::int::numeric, $2::int::numeric);

  -- Text with numbers: as floating numbers, so far as the text is one.
  foreach sign in array array['=', '<>', '<', '>', '<=', '>='] loop
    made := 'mysql.' || (names ->> sign);
    execute format('create function %s(text, double precision) returns boolean immutable return mysql.num($1) %s $2', made, sign);
    execute format('create function %s(double precision, text) returns boolean immutable return $1 %s mysql.num($2)', made, sign);
    execute format('create function %s(text, boolean) returns boolean immutable return mysql.num($1) %s $2::int', made, sign);
    execute format('create function %s(boolean, text) returns boolean immutable return $1::int %s mysql.num($2)', made, sign);
    execute format('create function %s(text, timestamptz) returns boolean immutable return mysql.datetime($1) %s $2', made, sign);
    execute format('create function %s(timestamptz, text) returns boolean immutable return $1 %s mysql.datetime($2)', made, sign);
  end loop;
  foreach sign in array array['+', '-', '*'] loop
    made := 'mysql.' || (names ->> sign);
    execute format('create function %s(text, double precision) returns double precision immutable return mysql.num($1) %s $2', made, sign);
    execute format('create function %s(double precision, text) returns double precision immutable return $1 %s mysql.num($2)', made, sign);
    execute format('create function %s(text, text) returns double precision immutable return mysql.num($1) %s mysql.num($2)', made, sign);
  end loop;
  create function mysql.over(text, double precision) returns double precision immutable return mysql.quotient(mysql.num($1), $2);
  create function mysql.over(double precision, text) returns double precision immutable return mysql.quotient($1, mysql.num($2));
  create function mysql.over(text, text) returns double precision immutable return mysql.quotient(mysql.num($1), mysql.num($2));
  create function mysql.rest(text, double precision) returns double precision immutable return mysql.remainder(mysql.num($1), $2);

  -- Dates in sums are the numbers of their digits.
  foreach here in array array['date', 'timestamptz'] loop
    foreach other in array array['date', 'timestamptz'] loop
      execute format('create function mysql.minus(%s, %s) returns bigint stable return mysql.num($1) - mysql.num($2)', here, other);
    end loop;
    foreach other in array array['integer', 'bigint', 'numeric'] loop
      execute format('create function mysql.minus(%s, %s) returns numeric stable return mysql.num($1) - $2', here, other);
      execute format('create function mysql.plus(%s, %s) returns numeric stable return mysql.num($1) + $2', here, other);
      execute format('create function mysql.plus(%s, %s) returns numeric stable return $1 + mysql.num($2)', other, here);
    end loop;
  end loop;

  for sign, here, other, made in
    select substring(signs.key for 2), format_type(proargtypes[0], null), format_type(proargtypes[1], null), 'mysql.' || proname
    from pg_proc join jsonb_each_text(names) signs on signs.value = proname where pronamespace = 'mysql'::regnamespace and pronargs = 2
  loop
    execute format('create operator mysql.%s (leftarg = %s, rightarg = %s, function = %s%s)', sign, here, other, made,
      case when commuted ? sign then format(', commutator = operator(mysql.%s)', commuted ->> sign) else '' end);
  end loop;

  -- Equal, nothing being equal to nothing.
  foreach here in array array['text', 'boolean', 'integer', 'bigint', 'numeric', 'double precision', 'date', 'timestamptz'] loop
    -- By a body that is read as it is called: one that is read here would compare texts as the database sorts them.
    execute format('create function mysql.same(%1$s, %1$s) returns boolean immutable language sql set search_path = pg_catalog as $body$ select $1 is not distinct from $2 $body$', here);
    execute format('create operator mysql.<=> (leftarg = %1$s, rightarg = %1$s, function = mysql.same)', here);
  end loop;
  create function mysql.same(boolean, integer) returns boolean immutable return $1::int is not distinct from $2;
  create operator mysql.<=> (leftarg = boolean, rightarg = integer, function = mysql.same);
end $$;
