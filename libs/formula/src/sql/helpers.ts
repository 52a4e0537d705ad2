/**
 * An SQL function that emitted formulas call where Postgres would raise an error or differ from the formula language. All
 * are immutable and parallel safe, none raises for any value of its arguments' types (float8 finite) or reads a table.
 */
interface Helper {
  readonly name: string;
  /** Name and type of each parameter. */
  readonly parameters: string;
  readonly returns: string;
  readonly expression?: string;
  readonly block?: string;
}

// float8 raises when a result overflows or underflows. The functions find that out first, by the same operation on operands
// scaled by powers of two, which rounds as it would at the end of the range; products near half of the smallest number do not.

/** 2^n as a literal that float8 represents exactly. */
const power = (exponent: number) => `'${2 ** exponent}'::float8`;
/** 2^27 + 1 splits the 53 bits of a float64 into halves whose products are exact (Veltkamp). */
const SPLITTER = "'134217729'::float8";

const ADD = `
DECLARE
  x float8 := abs(a);
  y float8 := abs(b);
BEGIN
  IF a IS NULL OR b IS NULL THEN RETURN NULL; END IF;
  -- A number below 1e290 is less than half of the last digit of those near the end of the range.
  IF (x < 8e307 AND y < 8e307) OR least(x, y) < 1e290 THEN RETURN a + b; END IF;
  IF abs(a * 0.5 + b * 0.5) >= ${power(1023)} THEN RETURN NULL; END IF;
  RETURN a + b;
END`;

const MULTIPLY = `
DECLARE
  x float8 := greatest(abs(a), abs(b));
  y float8 := least(abs(a), abs(b));
  scaled float8;
  x_high float8;
  scaled_high float8;
BEGIN
  IF a IS NULL OR b IS NULL THEN RETURN NULL; END IF;
  IF y = 0 THEN RETURN 0; END IF;
  IF (x < 1e150 AND y > 1e-150) OR (x >= 1 AND y < 1) THEN RETURN a * b; END IF;
  IF y >= 1 THEN
    IF y >= ${power(600)} THEN RETURN NULL; END IF;
    IF (x * ${power(-700)}) * y >= ${power(324)} THEN RETURN NULL; END IF;
    RETURN a * b;
  END IF;
  -- Half of the smallest number, 2^-1075, is the largest that becomes 0.
  IF x < ${power(-600)} THEN RETURN 0; END IF;
  scaled := y * ${power(700)};
  IF scaled * x < ${power(-375)} THEN RETURN 0; END IF;
  IF scaled * x = ${power(-375)} THEN
    -- Perhaps rounded to it: what the rounding took away (Dekker's exact product) says from which side.
    x_high := ${SPLITTER} * x - (${SPLITTER} * x - x);
    scaled_high := ${SPLITTER} * scaled - (${SPLITTER} * scaled - scaled);
    IF ((x_high * scaled_high - ${power(-375)}) + x_high * (scaled - scaled_high) + (x - x_high) * scaled_high)
      + (x - x_high) * (scaled - scaled_high) <= 0 THEN RETURN 0; END IF;
  END IF;
  RETURN a * b;
END`;

const DIVIDE = `
DECLARE
  x float8 := abs(a);
  y float8 := abs(b);
BEGIN
  IF a IS NULL OR b IS NULL OR b = 0 THEN RETURN NULL; END IF;
  IF a = 0 THEN RETURN 0; END IF;
  IF x < 1e150 AND x > 1e-150 AND y < 1e150 AND y > 1e-150 THEN RETURN a / b; END IF;
  IF y >= 1 THEN
    IF x >= 1 THEN RETURN a / b; END IF;
    IF x < ${power(-1000)} AND y > ${power(900)} THEN RETURN 0; END IF;
    IF (x * ${power(1000)}) / y <= ${power(-75)} THEN RETURN 0; END IF;
    RETURN a / b;
  END IF;
  IF x >= 1 THEN
    IF y <= ${power(-1024)} OR (x > ${power(1000)} AND y < ${power(-900)}) THEN RETURN NULL; END IF;
    IF (x * ${power(-1000)}) / y >= ${power(24)} THEN RETURN NULL; END IF;
    RETURN a / b;
  END IF;
  IF x < ${power(-500)} THEN RETURN a / b; END IF;
  IF x / (y * ${power(100)}) >= ${power(924)} THEN RETURN NULL; END IF;
  RETURN a / b;
END`;

const START_OF_DAY = `
DECLARE
  midnight timestamp := day::timestamp;
  before timestamp := midnight - interval '16 hours';
  later timestamp := midnight + interval '16 hours';
  early interval := ((before AT TIME ZONE 'UTC') AT TIME ZONE zone) - before;
  late interval := ((later AT TIME ZONE 'UTC') AT TIME ZONE zone) - later;
  middle timestamp;
BEGIN
  IF day IS NULL THEN RETURN NULL; END IF;
  IF early <> late THEN
    -- The offset changes around this midnight: find the first instant with the later one, to the millisecond.
    WHILE later - before > interval '1 millisecond' LOOP
      middle := before + make_interval(secs => floor(extract(epoch FROM later - before) * 500) / 1000);
      IF ((middle AT TIME ZONE 'UTC') AT TIME ZONE zone) - middle = early THEN before := middle;
      ELSE later := middle;
      END IF;
    END LOOP;
    IF midnight - early >= later THEN RETURN greatest(midnight - late, later) AT TIME ZONE 'UTC'; END IF;
  END IF;
  RETURN (midnight - early) AT TIME ZONE 'UTC';
END`;

const PARSE_NUMBER = `
DECLARE
  numeral text := btrim(value, E' \\t\\r\\n');
BEGIN
  IF numeral IS NULL OR numeral !~ '^-?[0-9]+(\\.[0-9]+)?$' THEN RETURN NULL; END IF;
  IF pg_input_is_valid(numeral, 'double precision') THEN RETURN numeral::float8 + 0; END IF;
  -- Too small for float8 is 0, too large is null.
  IF numeral ~ '^-?0+\\.' THEN RETURN 0; END IF;
  RETURN NULL;
END`;

const HELPERS: readonly Helper[] = [
  { name: 'add', parameters: 'a float8, b float8', returns: 'float8', block: ADD },
  { name: 'multiply', parameters: 'a float8, b float8', returns: 'float8', block: MULTIPLY },
  { name: 'divide', parameters: 'a float8, b float8', returns: 'float8', block: DIVIDE },
  {
    // From the midpoint between the largest float64 and 2^1024 on, a number is not finite; up to 2^-1075, half of the
    // smallest one, it is 0.
    name: 'float',
    parameters: 'value numeric',
    returns: 'float8',
    expression: `CASE WHEN abs(value) >= 1.79769313486231580793e308 THEN NULL
    WHEN abs(value) < 2.47032822920623272089e-324 THEN 0::float8 ELSE value::float8 END`,
  },
  {
    name: 'remainder',
    parameters: 'a float8, b float8',
    returns: 'float8',
    expression: 'CASE WHEN b <> 0 THEN public.formula_float(a::numeric % b::numeric) END',
  },
  {
    // No float8 has digits beyond these places. `least` and `greatest` skip nulls.
    name: 'round',
    parameters: 'number float8, places float8',
    returns: 'float8',
    expression: `CASE WHEN places IS NOT NULL
    THEN public.formula_float(round(number::numeric, least(greatest(trunc(places), -400), 400)::integer)) END`,
  },
  {
    name: 'bounded',
    parameters: 'value text',
    returns: 'text',
    expression: 'CASE WHEN length(value) <= 4000 THEN value END',
  },
  { name: 'text', parameters: 'value float8', returns: 'text', expression: 'trim_scale(value::numeric)::text' },
  {
    name: 'text',
    parameters: 'value boolean',
    returns: 'text',
    expression: "CASE WHEN value THEN 'true' WHEN NOT value THEN 'false' END",
  },
  {
    name: 'text',
    parameters: 'value date',
    returns: 'text',
    block: "\nBEGIN\n  RETURN to_char(value::timestamp, 'YYYY-MM-DD');\nEND",
  },
  {
    name: 'text',
    parameters: 'value timestamptz',
    returns: 'text',
    block: `
BEGIN
  RETURN regexp_replace(
    to_char(value AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS'), '\\.?0+$', '') || 'Z';
END`,
  },
  {
    name: 'text',
    parameters: 'value text[]',
    returns: 'text',
    block: "\nBEGIN\n  RETURN array_to_string(value, ', ');\nEND",
  },
  { name: 'number', parameters: 'value text', returns: 'float8', block: PARSE_NUMBER },
  {
    name: 'upper',
    parameters: 'value text',
    returns: 'text',
    expression: 'upper(value COLLATE pg_catalog.pg_unicode_fast)',
  },
  {
    name: 'lower',
    parameters: 'value text',
    returns: 'text',
    expression: 'lower(value COLLATE pg_catalog.pg_unicode_fast)',
  },
  {
    name: 'contains',
    parameters: 'value text, part text',
    returns: 'boolean',
    expression: `strpos(coalesce(value, '') COLLATE "C", coalesce(part, '') COLLATE "C") > 0`,
  },
  {
    name: 'contains',
    parameters: 'options text[], part text',
    returns: 'boolean',
    expression: `coalesce(part, '') = '' OR coalesce(part COLLATE "C" = ANY (options), false)`,
  },
  { name: 'start_of_day', parameters: 'day date, zone text', returns: 'timestamptz', block: START_OF_DAY },
];

/**
 * The statements that create the functions, in the order in which a migration must run them. They replace functions
 * with the same name and parameters, so they can be run again.
 */
export const FORMULA_SQL_FUNCTIONS: readonly string[] = HELPERS.map(
  ({ name, parameters, returns, expression, block }) => {
    const head = `CREATE OR REPLACE FUNCTION ${qualified(name)}(${parameters}) RETURNS ${returns}`;
    if (expression !== undefined) return `${head}\nLANGUAGE sql IMMUTABLE PARALLEL SAFE\nRETURN ${expression}`;
    return `${head}\nLANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $formula$${block}\n$formula$`;
  },
);

export function qualified(name: string): string {
  return `public.formula_${name}`;
}
